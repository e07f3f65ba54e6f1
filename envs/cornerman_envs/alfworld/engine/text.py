"""Partial evaluation of the grammar: from symbols to strings, or functions of a state's two bit sets.

Everything that no action can change (names, static facts, the order of lists) is worked out once; what remains is a
string, or a function that tests a few masks.
"""

from __future__ import annotations

from collections.abc import Callable

from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.grammar import Grammar
from cornerman_envs.alfworld.engine.grounding import Masks
from cornerman_envs.alfworld.engine.parts import Call, Each, Part, Sum
from cornerman_envs.alfworld.engine.queries import Env, FactTable
from cornerman_envs.alfworld.engine.selections import Text, render, selection


class TextBuilder:
    """Texts of one game.

    Args:
        grammar: the game's grammar.
        facts: its facts, for queries.
        names: names by object id.
    """

    def __init__(self, grammar: Grammar, facts: FactTable, names: dict[str, str]) -> None:
        self.grammar, self.facts, self.names = grammar, facts, names
        self.object_types = facts.ground.object_types
        self._defined: dict[str, Text] = {}
        self._relevant: dict[tuple[str, tuple[str, ...]], tuple[frozenset[str], frozenset[str]]] = {}
        self._symbols: dict[tuple[str, tuple[tuple[str, str], ...]], Text] = {}

    def define(self, name: str, parts: tuple[Part, ...]) -> None:
        """Give `#name#` a text of this game's own."""
        self._defined[name] = self.sequence(parts, {})

    def symbol(self, name: str, env: Env) -> Text:
        """The text of `#name#` where the variables of `env` are bound."""
        if name in self._defined:
            return self._defined[name]
        needed = self._needed(name, env)
        key = name, tuple(sorted(needed.items()))
        text = self._symbols.get(key)
        if text is None:
            text = self._symbols[key] = self._first_rule(name, needed)
        return text

    def _needed(self, name: str, env: Env) -> Env:
        """The part of `env` that the text of `#name#` may depend on."""
        key = name, tuple(env)
        if key not in self._relevant:
            self._relevant[key] = self.grammar.reads(name).relevant(env)
        variables, types = self._relevant[key]
        return {v: x for v, x in env.items() if v in variables or self.object_types[x] in types}

    def _first_rule(self, name: str, env: Env) -> Text:
        """The first rule whose condition some solution meets."""
        options: list[tuple[list[Masks] | None, Text]] = []
        for rule in self.grammar.rules(name):
            tests: list[Masks] | None = None
            if rule.condition:
                tests = sorted({(held, deleted) for held, deleted, _ in self.facts.solve(rule.condition, env).rows})
                if not tests:
                    continue
                if tests[0] == (0, 0):
                    tests = None
            options.append((tests, self.sequence(rule.parts, env)))
            if tests is None:
                break
        if options and options[0][0] is None:
            return options[0][1]

        def choose(pos: int, neg: int) -> str:
            for tests, text in options:
                if tests is None:
                    return text if isinstance(text, str) else text(pos, neg)
                for held, deleted in tests:
                    if pos & held == held and neg & deleted == deleted:
                        return text if isinstance(text, str) else text(pos, neg)
            raise GameError(f"the grammar symbol #{name}#: none of its rules applies")

        return choose

    def sequence(self, parts: tuple[Part, ...], env: Env) -> Text:
        """The texts of several parts in a row, finished stretches joined."""
        texts: list[Text] = []
        for part in parts:
            text = self._part(part, env)
            if texts and isinstance(text, str) and isinstance(texts[-1], str):
                texts[-1] += text
            else:
                texts.append(text)
        if not texts:
            return ""
        if len(texts) == 1:
            return texts[0]
        return lambda pos, neg: "".join([x if isinstance(x, str) else x(pos, neg) for x in texts])

    def _part(self, part: Part, env: Env) -> Text:
        match part:
            case str(text):
                return text
            case Call(name):
                return self.symbol(name, env)
            case Sum(terms):
                return "".join(
                    [x if isinstance(x, str) else self._attribute(x.variable, x.attribute, env) for x in terms]
                )
            case Each(inner, query, as_list):
                join = self._join_words() if as_list else "".join
                found = self.facts.solve(query, env)
                return selection(found.rows, lambda row: self._part(inner, found.env(row)), join)

    def _attribute(self, variable: str, attribute: str, env: Env) -> str:
        if variable not in env:
            raise GameError(f"the grammar variable {variable}, which nothing binds where it is used")
        match attribute:
            case "name":
                return self.names[env[variable]]
            case "id":
                return env[variable]
            case "indefinite":
                return "a"
            case _:
                return "the"

    def _join_words(self) -> Callable[[list[str]], str]:
        """What makes a list in words, `a, b, and c`."""
        empty, separator, last = (
            render(self.symbol(name, {}), 0, 0) for name in ("list_empty", "list_separator", "list_last_separator")
        )

        def join(texts: list[str]) -> str:
            if len(texts) > 1:
                return separator.join(texts[:-1]) + last + texts[-1]
            return texts[0] if texts else empty

        return join
