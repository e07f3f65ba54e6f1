"""The grammar document of a `.tw-pddl` game (TextWorld's twl2 dialect): rules by symbol, texts by action.

A document holds blocks `grammar :: \"\"\"{json}\"\"\";` and `action NAME { template :: "…"; feedback :: "…"; … }`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache

from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.parts import Call, Part, Reads, parse_parts, uses_of
from cornerman_envs.alfworld.engine.queries import Query, parse_query


@dataclass(frozen=True)
class Rule:
    condition: Query | None
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class ActionGrammar:
    template: tuple[Part, ...]
    feedback: tuple[Part, ...]


_TOKEN = re.compile(r'\s+|#[^\n]*|(""".*?"""|"[^"]*"|::|[;{}]|[\w/-]+)', re.DOTALL)


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if not token:
            line = text.count("\n", 0, at) + 1
            raise GameError(f"the grammar document, line {line}: {text[at : at + 30]!r}")
        if token[1]:
            found.append(token[1])
        at = token.end()
    return found


class Grammar:
    """The rules and the actions' texts of one grammar document, parsed when first asked for."""

    def __init__(self, text: str) -> None:
        self._raw: dict[str, list[object]] = {}
        self._texts: dict[str, dict[str, str]] = {}
        self._rules: dict[str, tuple[Rule, ...]] = {}
        self._symbol_reads: dict[str, Reads] = {}
        self._actions: dict[str, ActionGrammar] = {}
        tokens = _tokens(text)[::-1]
        while tokens:
            match tokens.pop():
                case "grammar":
                    self._load(_value(tokens, "grammar"))
                case "action":
                    self._texts[_pop(tokens).lower()] = texts = {}
                    _expect(tokens, "{")
                    while (key := _pop(tokens)) != "}":
                        texts[key] = _value(tokens, key)
                    lines = texts.get("grammar", "{}").split("\n")
                    self._load("\n".join(x for x in lines if not x.lstrip().startswith("#")))
                case other:
                    raise GameError(f"{other!r} in the grammar document where grammar or action must stand")

    def _load(self, block: str) -> None:
        try:
            rules = json.loads(block)
        except ValueError as error:
            raise GameError(f"a grammar block that is not JSON ({error})") from None
        if not isinstance(rules, dict):
            raise GameError("a grammar block that is not a JSON object")
        self._raw.update(rules)

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._raw

    def action(self, name: str) -> ActionGrammar:
        found = self._actions.get(name)
        if found is None:
            texts = self._texts.get(name, {})
            if not {"template", "feedback"} <= set(texts):
                raise GameError(f"action {name}: the grammar has no template and feedback for it")
            found = ActionGrammar(parse_parts(texts["template"]), parse_parts(texts["feedback"]))
            self._actions[name] = found
        return found

    def templates(self) -> dict[str, str]:
        """Command templates as written, by action (lower case)."""
        return {name: texts.get("template", "") for name, texts in self._texts.items()}

    def rules(self, symbol: str) -> tuple[Rule, ...]:
        found = self._rules.get(symbol)
        if found is None:
            if not isinstance(self._raw.get(symbol), list) or not self._raw[symbol]:
                raise GameError(f"the grammar symbol #{symbol}#, which has no rule")
            found = self._rules[symbol] = tuple(_rule(symbol, x) for x in self._raw[symbol])
        return found

    def reads(self, symbol: str) -> Reads:
        """What `#symbol#` reads, through every symbol that it may call."""
        found = self._symbol_reads.get(symbol)
        if found is None:
            found = self._symbol_reads[symbol] = self.reads_of((Call(symbol),))
        return found

    def reads_of(self, parts: tuple[Part, ...]) -> Reads:
        """What parts read, through every symbol that they may call."""
        reads, todo = uses_of(parts)
        variables, queried, done = set(reads.variables), set(reads.queried), set[str]()
        while todo:
            symbol = todo.pop()
            done.add(symbol)
            for rule in self.rules(symbol) if symbol in self else ():
                reads, calls = uses_of(rule.parts, rule.condition)
                variables |= reads.variables
                queried |= reads.queried
                todo |= calls - done
        return Reads(frozenset(variables), frozenset(queried))


def _rule(symbol: str, rule: object) -> Rule:
    match rule:
        case {"rhs": str(text), "condition": str(condition)} if condition:
            return Rule(parse_query(condition), parse_parts(text))
        case {"rhs": str(text), **rest} if not rest.get("condition"):
            return Rule(None, parse_parts(text))
    raise GameError(f"the grammar symbol #{symbol}#: its rule {rule!r}")


def _pop(tokens: list[str]) -> str:
    if not tokens:
        raise GameError("a grammar document that ends in the middle of a block")
    return tokens.pop()


def _expect(tokens: list[str], wanted: str) -> None:
    got = _pop(tokens)
    if got != wanted:
        raise GameError(f"{got!r} in the grammar document where {wanted!r} must stand")


def _value(tokens: list[str], key: str) -> str:
    """The text behind `key ::`, without its quotation marks."""
    _expect(tokens, "::")
    value = _pop(tokens)
    _expect(tokens, ";")
    for quotes in ('"""', '"'):
        if value.startswith(quotes):
            return value[len(quotes) : -len(quotes)]
    raise GameError(f"the value of {key} in the grammar document is not quoted: {value!r}")


TASK_LINE = "task line"
"""The symbol that stands for a game's task in the shared document."""

_TASK = re.compile(r'"(Your task is to: [^"]*)"')


def split_task(text: str) -> tuple[str, str | None]:
    """The document with `#task line#` for its task, and the task.

    Official games differ in nothing else, so that the rest is parsed once for all of them.
    """
    found = _TASK.search(text)
    if not found:
        return text, None
    return f"{text[: found.start(1)]}#{TASK_LINE}#{text[found.end(1) :]}", str(json.loads(found[0]))


@lru_cache(maxsize=8)
def load_grammar(text: str) -> Grammar:
    return Grammar(text)


GENERATIONS = {"move {o} to {r}": "2.1.2", "put {o} in/on {r}": "2020"}
"""ALFWorld's two action grammars by the way they put an object down: the files of json_2.1.2 and those of 2020."""


def grammar_generation(text: str) -> str:
    """Which generation of ALFWorld's action grammar a document is; results of the two do not compare.

    Args:
        text: the `grammar` of a game.

    Returns:
        `"2.1.2"` ("move X to Y", "You arrive at desk 1") or `"2020"` ("put X in/on Y", "You arrive at loc 3").

    Raises:
        GameError: the document puts objects down in no known way.
    """
    template = load_grammar(split_task(text)[0]).templates().get("putobject", "")
    if template not in GENERATIONS:
        known = " or ".join(repr(x) for x in GENERATIONS)
        raise GameError(f"the template of PutObject is {template!r}, not {known}")
    return GENERATIONS[template]
