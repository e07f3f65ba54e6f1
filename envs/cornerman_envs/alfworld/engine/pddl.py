"""Reading PDDL text: s-expressions, typed lists and the two documents, domain and problem.

Names are lower-cased, as the Fast Downward translator does. Sections that change the meaning of a game and
that no ALFWorld game has (constants, derived predicates, quantified effects, …) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from cornerman_envs.alfworld.engine.errors import GameError

SExpr = str | list["SExpr"]
Atom = tuple[str, tuple[str, ...]]
"""A ground fact: predicate and object ids."""

_COMMENT = re.compile(r";[^\n]*")


def read(text: str) -> list[SExpr]:
    """The one top-level list of a PDDL document.

    Raises:
        GameError: the parentheses do not match or there is more or less than one list.
    """
    stack: list[list[SExpr]] = [[]]
    for token in _COMMENT.sub("", text).lower().replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise GameError("PDDL text with a closing parenthesis too many")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) != 1 or len(stack[0]) != 1 or isinstance(stack[0][0], str):
        raise GameError("PDDL text that is not one list in matching parentheses")
    return stack[0][0]


def typed_list(items: Iterable[SExpr]) -> list[tuple[str, str]]:
    """`?a ?b - location ?c` as pairs of name and type; a name without a type is an `object`.

    A type is the next word, whatever it is: the ALFWorld domain writes `?l - location, ?r - receptacle`, which
    makes a type called `location,` that has no objects, and the stock engine reads it so.
    """
    pairs: list[tuple[str, str]] = []
    waiting: list[str] = []
    words = iter(items)
    for word in words:
        if not isinstance(word, str):
            raise GameError(f"a typed list with a list inside: {word}")
        if word != "-":
            waiting.append(word)
            continue
        kind = next(words, None)
        if not isinstance(kind, str):
            raise GameError(f"the type of {' '.join(waiting)} is not a name: {kind}")
        pairs += [(name, kind) for name in waiting]
        waiting = []
    return pairs + [(name, "object") for name in waiting]


@dataclass(frozen=True)
class Types:
    """The type hierarchy: `parents` maps a type to its direct supertype."""

    parents: dict[str, str]

    def known(self, kind: str) -> bool:
        return kind == "object" or kind in self.parents

    def is_a(self, kind: str, ancestor: str) -> bool:
        """Whether every object of type `kind` is one of type `ancestor`."""
        seen: set[str] = set()
        while kind != ancestor:
            if kind in seen or kind not in self.parents:
                return False
            seen.add(kind)
            kind = self.parents[kind]
        return True


@dataclass(frozen=True)
class ActionText:
    """One `:action` as written: parameters (with `?`) and types, and the two formulas."""

    name: str
    parameters: list[tuple[str, str]]
    precondition: SExpr
    effect: SExpr


@dataclass(frozen=True)
class DomainText:
    types: Types
    predicates: dict[str, tuple[str, ...]]
    """Argument types by predicate."""
    actions: list[ActionText]


def read_domain(text: str) -> DomainText:
    """The domain document, formulas still unread."""
    parents: dict[str, str] = {}
    predicates: dict[str, tuple[str, ...]] = {}
    actions: list[ActionText] = []
    for section in read(text)[1:]:
        match section:
            case ["domain", _] | [":requirements", *_] | [":functions", *_]:
                pass
            case [":types", *items]:
                parents = dict(typed_list(items))
            case [":predicates", *items]:
                for item in items:
                    if not item or not isinstance(item, list) or not isinstance(item[0], str):
                        raise GameError(f"a predicate declaration that is not a list: {item}")
                    predicates[item[0]] = tuple(kind for _, kind in typed_list(item[1:]))
            case [":action", str(name), ":parameters", list(items), ":precondition", pre, ":effect", effect]:
                actions.append(ActionText(name, typed_list(items), pre, effect))
            case [str(head), *_]:
                raise GameError(f"the domain section {head} (or its form)")
            case _:
                raise GameError(f"a domain section without a head: {section}")
    return DomainText(Types(parents), predicates, actions)


@dataclass(frozen=True)
class Problem:
    objects: dict[str, str]
    """Type by object id."""
    init: list[Atom]
    """Initial facts, each once, in the order of the text."""
    goal: SExpr


def read_problem(text: str) -> Problem:
    """The problem document; costs and distances are left out, as they change nothing a player sees."""
    objects: dict[str, str] = {}
    init: dict[Atom, None] = {}
    goal: SExpr | None = None
    for section in read(text)[1:]:
        match section:
            case ["problem", _] | [":domain", _] | [":metric", *_]:
                pass
            case [":objects", *items]:
                objects.update(typed_list(items))
            case [":init", *items]:
                for item in items:
                    fact = _initial_fact(item)
                    if fact:
                        init[fact] = None
            case [":goal", formula]:
                goal = formula
            case [str(head), *_]:
                raise GameError(f"the problem section {head} (or its form)")
            case _:
                raise GameError(f"a problem section without a head: {section}")
    if goal is None:
        raise GameError("a problem without a :goal")
    return Problem(objects, list(init), goal)


def _initial_fact(item: SExpr) -> Atom | None:
    if isinstance(item, list) and item:
        predicate, *args = item
        words = [a for a in args if isinstance(a, str)]
        if isinstance(predicate, str) and predicate not in ("not", "=") and len(words) == len(args):
            return predicate, tuple(words)
        if predicate == "=" and len(args) == 2 and isinstance(args[0], list) and words and words[0].isdigit():
            return None
    return _refuse(item)


def _refuse(item: SExpr) -> NoReturn:
    raise GameError(f"the initial fact {item}")
