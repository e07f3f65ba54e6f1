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
from cornerman_envs.alfworld.engine.schemas import key_of

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


class Solution(NamedTuple):
    """Counts in the states whose `pos` has all bits of `held` and whose `neg` has all bits of `deleted`."""

    held: int
    deleted: int
    values: Row
    """Object ids of `Solutions.names`."""


@dataclass(frozen=True)
class Solutions:
    names: tuple[str, ...]
    """The variables: those that were bound before, then those of the query."""
    rows: list[Solution]

    def env(self, row: Solution) -> Env:
        return dict(zip(self.names, row.values, strict=True))


Index = dict[Row, list[tuple[Row, int]]]
"""By the values of an atom's bound variables: values of its new variables and the fact's bit (0 for a static one)."""


@dataclass
class FactTable:
    """The facts that can hold, for queries; with `start_only`, just those that hold at the start."""

    ground: Ground
    start_only: bool = False
    _signatures: dict[str, dict[Row, list[Row]]] = field(default_factory=dict)
    """Facts by predicate and by the types of their arguments, for the predicates that were asked for."""
    _indexes: dict[tuple[QueryAtom, tuple[int, ...]], Index] = field(default_factory=dict)

    @cached_property
    def _rows(self) -> dict[str, list[Row]]:
        """Arguments of the facts, sorted, by predicate."""
        rows: dict[str, list[Row]] = {}
        for predicate, row in (*self.ground.static, *(self.ground.start_facts if self.start_only else ())):
            rows.setdefault(predicate, []).append(row)
        return rows if self.start_only else rows | {p: list(bits) for p, bits in self.ground.bits.items()}

    def _by_types(self, predicate: str) -> dict[Row, list[Row]]:
        """The facts of a predicate by the types of their arguments."""
        found = self._signatures.get(predicate)
        if found is None:
            found = self._signatures[predicate] = {}
            types = self.ground.object_types
            for row in self._rows.get(predicate, ()):
                found.setdefault(tuple([types[x] for x in row]), []).append(row)
        return found

    def solve(self, query: Query, env: Env) -> Solutions:
        """All solutions that extend `env`, in the stock engine's order: sorted facts, first atom slowest.

        Two variables never share a value, and none takes a value that `env` holds (stock: `used_vars`).
        """
        for name, kind in query.variables.items():
            if name in env and self.ground.object_types[env[name]] != kind:
                raise GameError(f"the grammar variable {name}:{kind} meets an object of another type, {env[name]}")
        names = list(env)
        rows: list[tuple[int, int, Row]] = [(0, 0, tuple(env.values()))]
        for atom in query.atoms:
            rows = self._extend(atom, names, rows)
            names += dict.fromkeys(v for v in atom.variables if v not in names)
        return Solutions(tuple(names), [Solution(*row) for row in rows])

    def _extend(
        self, atom: QueryAtom, names: list[str], rows: list[tuple[int, int, Row]]
    ) -> list[tuple[int, int, Row]]:
        bound = tuple([i for i, name in enumerate(atom.variables) if name in names])
        key = key_of(tuple([names.index(atom.variables[i]) for i in bound]))
        index = self._index(atom, bound)
        negated = atom.predicate.startswith(_NOT)
        longer: list[tuple[int, int, Row]] = []
        for held, deleted, values in rows:
            taken = set(values)
            for new, bit in index.get(key(values), ()):
                if not taken.isdisjoint(new):
                    continue
                if negated:
                    longer.append((held, deleted | bit, values + new))
                else:
                    longer.append((held | bit, deleted, values + new))
        return longer

    def _index(self, atom: QueryAtom, bound: tuple[int, ...]) -> Index:
        """The facts that an atom can mean."""
        index = self._indexes.get((atom, bound))
        if index is not None:
            return index
        index = self._indexes[atom, bound] = {}
        names = atom.variables
        first = {name: i for i, name in reversed([*enumerate(names)]) if i not in bound}
        repeated = [(i, first[name]) for i, name in enumerate(names) if first.get(name, i) != i]
        key, new = key_of(bound), key_of(tuple(sorted(first.values())))
        bits = self.ground.bits.get(atom.predicate.removeprefix(_NOT), {})
        for args in self._facts(atom):
            values = new(args)
            if len(set(values)) == len(values) and all(args[i] == args[j] for i, j in repeated):
                index.setdefault(key(args), []).append((values, bits.get(args, 0)))
        return index

    def _facts(self, atom: QueryAtom) -> list[Row]:
        """Arguments of the facts that have the atom's predicate and types, sorted."""
        predicate = atom.predicate.removeprefix(_NOT)
        if predicate != atom.predicate and (self.start_only or predicate not in self.ground.bits):
            return []
        is_a = self.ground.domain.types.is_a
        fitting = [
            rows
            for kinds, rows in self._by_types(predicate).items()
            if len(kinds) == len(atom.types) and all(map(is_a, kinds, atom.types))
        ]
        if len(fitting) > 1:
            raise GameError(f"the grammar query atom {atom.predicate} meets facts of several signatures")
        return fitting[0] if fitting else []
