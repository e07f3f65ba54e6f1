"""Conjunctive queries of the grammar, solved once and for all states.

The stock engine solves `holds(a:agent, o:object) & …` against the facts of the moment. Here a query is solved against
every fact that can ever hold; each solution carries the bits that must be set for it to count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.grounding import Ground
from cornerman_envs.alfworld.engine.joins import Row

Env = dict[str, str]
"""Object ids by variable name."""

_ATOM = re.compile(r"\s*([\w/-]+)\(([^()]*)\)\s*")
_NOT = "not_"


class QueryAtom(NamedTuple):
    predicate: str
    variables: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    atoms: tuple[QueryAtom, ...]

    @cached_property
    def variables(self) -> dict[str, str]:
        """Types by variable name."""
        return {v: t for atom in self.atoms for v, t in zip(atom.variables, atom.types, strict=True)}


def parse_query(text: str) -> Query:
    """Read `pred(x:type, y:type) & …`.

    Raises:
        GameError: anything else, or one variable with two types.
    """
    atoms: list[QueryAtom] = []
    seen: dict[str, str] = {}
    for part in text.split("&"):
        found = _ATOM.fullmatch(part)
        args = [a.partition(":") for a in found[2].split(",")] if found and found[2].strip() else []
        if not found or not all(colon for _, colon, _ in args):
            raise GameError(f"the grammar query {text.strip()!r}")
        names = tuple(v.strip() for v, _, _ in args)
        types = tuple(t.strip() for _, _, t in args)
        if any(seen.setdefault(v, t) != t for v, t in zip(names, types, strict=True)):
            raise GameError(f"the grammar query {text.strip()!r}: a variable with two types")
        atoms.append(QueryAtom(found[1], names, types))
    return Query(tuple(atoms))


Solution = tuple[int, int, Env]
"""Counts in the states whose `pos` has all bits of the first mask and whose `neg` has all bits of the second."""


@dataclass
class FactTable:
    """The facts that can hold, for queries; with `start_only`, just those that hold at the start."""

    ground: Ground
    start_only: bool = False
    _signatures: dict[str, dict[Row, list[Row]]] = field(default_factory=dict)
    """Facts by predicate and by the types of their arguments."""
    _indexes: dict[tuple[QueryAtom, tuple[int, ...]], dict[Row, list[Row]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        types = self.ground.object_types
        fluents = self.ground.start_facts if self.start_only else self.ground.fluents
        for predicate, row in (*self.ground.static, *fluents):
            kinds = tuple([types[x] for x in row])
            self._signatures.setdefault(predicate, {}).setdefault(kinds, []).append(row)

    def solve(self, query: Query, env: Env) -> list[Solution]:
        """All solutions that extend `env`, in the stock engine's order: sorted facts, first atom slowest.

        Two variables never share a value, and none takes a value that `env` holds (stock: `used_vars`).
        """
        for name, kind in query.variables.items():
            if name in env and self.ground.object_types[env[name]] != kind:
                raise GameError(f"the grammar variable {name}:{kind} meets an object of another type, {env[name]}")
        rows: list[Solution] = [(0, 0, env)]
        for atom in query.atoms:
            if rows:
                rows = self._extend(atom, rows)
        return rows

    def _extend(self, atom: QueryAtom, rows: list[Solution]) -> list[Solution]:
        negated = atom.predicate.startswith(_NOT)
        bits = self.ground.bits.get(atom.predicate.removeprefix(_NOT), {})
        if negated and (self.start_only or not bits):
            return []
        names = atom.variables
        bound = tuple([i for i, name in enumerate(names) if name in rows[0][2]])
        first = {name: i for i, name in reversed([*enumerate(names)]) if i not in bound}
        repeated = [(i, first[name]) for i, name in enumerate(names) if first.get(name, i) != i]
        index = self._index(atom, bound)
        longer: list[Solution] = []
        for held, deleted, env in rows:
            taken = set(env.values())
            for args in index.get(tuple([env[names[i]] for i in bound]), ()):
                new = {name: args[i] for name, i in first.items()}
                if not taken.isdisjoint(new.values()):
                    continue
                if len(new) > 1 and len({*new.values()}) < len(new):
                    continue
                if repeated and any(args[i] != args[j] for i, j in repeated):
                    continue
                bit = bits.get(args, 0)
                if negated:
                    longer.append((held, deleted | bit, env | new))
                else:
                    longer.append((held | bit, deleted, env | new))
        return longer

    def _index(self, atom: QueryAtom, bound: tuple[int, ...]) -> dict[Row, list[Row]]:
        """The facts that an atom can mean, by their values at the bound positions."""
        key = atom, bound
        index = self._indexes.get(key)
        if index is None:
            is_a = self.ground.domain.types.is_a
            index = self._indexes[key] = {}
            by_kinds = self._signatures.get(atom.predicate.removeprefix(_NOT), {})
            fitting = [
                rows
                for kinds, rows in by_kinds.items()
                if all(map(is_a, kinds, atom.types)) and len(kinds) == len(atom.types)
            ]
            if len(fitting) > 1:
                raise GameError(f"the grammar query atom {atom.predicate} meets facts of several signatures")
            for row in fitting[0] if fitting else ():
                index.setdefault(tuple([row[i] for i in bound]), []).append(row)
        return index
