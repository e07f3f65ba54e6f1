"""Conjunctive queries of the grammar, solved once and for all states.

The stock engine solves `holds(a:agent, o:object) & …` against the facts of the moment. Here a query is solved against
every fact that can ever hold; each solution carries the bits that must be set for it to count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
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

    @property
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
    """Holds in the states whose `pos` has all bits of `held` and whose `neg` has all bits of `deleted`."""

    held: int
    deleted: int
    env: Env


@dataclass
class FactTable:
    """The facts that can hold, for queries."""

    ground: Ground
    _tables: dict[str, list[Row]] = field(default_factory=dict)
    _indexes: dict[tuple[QueryAtom, tuple[int, ...]], dict[Row, list[Row]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for predicate, row in (*self.ground.static, *self.ground.fluents):
            self._tables.setdefault(predicate, []).append(row)

    def solve(self, query: Query, env: Env) -> list[Solution]:
        """All solutions that extend `env`, in the stock engine's order: sorted facts, first atom slowest.

        Two variables never share a value, and none takes a value that `env` holds (stock: `used_vars`).
        """
        for name, kind in query.variables.items():
            if name in env and self.ground.object_types[env[name]] != kind:
                raise GameError(f"the grammar variable {name}:{kind} meets an object of another type, {env[name]}")
        rows = [Solution(0, 0, env)]
        for atom in query.atoms:
            rows = [longer for row in rows for longer in self._extend(atom, row)]
        return rows

    def _extend(self, atom: QueryAtom, row: Solution) -> Iterator[Solution]:
        held, deleted, env = row
        negated = atom.predicate.startswith(_NOT)
        predicate = atom.predicate.removeprefix(_NOT)
        bits = self.ground.bits.get(predicate, {})
        if negated and not bits:
            return
        bound = tuple(i for i, v in enumerate(atom.variables) if v in env)
        values = tuple([env[atom.variables[i]] for i in bound])
        for args in self._index(atom, predicate, bound).get(values, ()):
            longer = _bind(atom.variables, args, env)
            if longer is not None:
                bit = bits.get(args, 0)
                yield Solution(held | (0 if negated else bit), deleted | (bit if negated else 0), longer)

    def _index(self, atom: QueryAtom, predicate: str, bound: tuple[int, ...]) -> dict[Row, list[Row]]:
        index = self._indexes.get((atom, bound))
        if index is None:
            index = self._indexes[atom, bound] = {}
            types, is_a = self.ground.object_types, self.ground.domain.types.is_a
            signatures: set[Row] = set()
            for row in self._tables.get(predicate, ()):
                kinds = tuple([types[x] for x in row])
                if all(k == t or is_a(k, t) for k, t in zip(kinds, atom.types, strict=True)):
                    signatures.add(kinds)
                    index.setdefault(tuple([row[i] for i in bound]), []).append(row)
            if len(signatures) > 1:
                raise GameError(f"the grammar query atom {atom.predicate} meets facts of several signatures")
        return index


def _bind(variables: tuple[str, ...], args: Row, env: Env) -> Env | None:
    """`env` with the atom's variables set; None where two variables would share a value."""
    longer = env
    for name, value in zip(variables, args, strict=True):
        if name in longer:
            if longer[name] != value:
                return None
        elif value in longer.values():
            return None
        else:
            if longer is env:
                longer = dict(env)
            longer[name] = value
    return longer
