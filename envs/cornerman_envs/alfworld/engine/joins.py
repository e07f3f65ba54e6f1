"""Relational joins: all bindings of a schema's slots that its positive literals allow.

A plan is a list of steps, each a function from a table (a list of equally long tuples) to the next one, built once
per schema and trigger literal. Working on whole tables keeps the inner loops in list comprehensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from cornerman_envs.alfworld.engine.pddl import Types
from cornerman_envs.alfworld.engine.schemas import Key, Literal, Schema, key_of

Row = tuple[str, ...]
Index = dict[Row, list[Row]]


@dataclass
class Relations:
    """Facts by predicate, with an index for every pattern that a join asked for.

    An index maps the values at the `bound` positions of a fact to the values at its other positions.
    """

    objects: Mapping[str, Sequence[str]]
    """Object ids by type, supertypes included."""
    tables: dict[str, list[Row]] = field(default_factory=dict)
    _indexes: dict[tuple[str, tuple[int, ...]], Index] = field(default_factory=dict)
    _keys: dict[str, list[tuple[Key, Key, Index]]] = field(default_factory=dict)

    def index(self, predicate: str, bound: tuple[int, ...], rest: tuple[int, ...]) -> Index:
        found = self._indexes.get((predicate, bound))
        if found is None:
            found = self._indexes[predicate, bound] = {}
            entry = key_of(bound), key_of(rest), found
            self._keys.setdefault(predicate, []).append(entry)
            _file(self.tables.get(predicate, ()), entry)
        return found

    def add(self, predicate: str, rows: list[Row]) -> None:
        """Add new facts of one predicate."""
        self.tables.setdefault(predicate, []).extend(rows)
        for entry in self._keys.get(predicate, ()):
            _file(rows, entry)


def _file(rows: Sequence[Row], entry: tuple[Key, Key, Index]) -> None:
    key, tail, index = entry
    for row in rows:
        at = key(row)
        if at in index:
            index[at].append(tail(row))
        else:
            index[at] = [tail(row)]


Step = Callable[[list[Row], Relations], list[Row]]


@dataclass(frozen=True)
class Plan:
    """Steps that turn facts of the trigger (or the one empty row) into bindings of a schema's slots."""

    start: Row
    steps: tuple[Step, ...]

    def bindings(self, rows: list[Row], relations: Relations) -> list[Row]:
        table = [self.start + row for row in rows]
        for step in self.steps:
            if not table:
                break
            table = step(table, relations)
        return table


NO_TRIGGER: list[Row] = [()]
"""What to start a plan without a trigger from."""


def make_plan(
    schema: Schema,
    trigger: Literal | None,
    fluents: frozenset[str],
    declared: Mapping[str, tuple[str, ...]],
    types: Types,
) -> Plan:
    """Order the joins: literals with the most bound arguments first, static ones before fluents.

    Negative fluents are left out, as relaxed reachability wants: deletes are ignored, so any may be false.
    """
    builder = _Builder(schema, declared, types)
    if trigger:
        builder.take(trigger.args)
    todo = [x for x in schema.literals if x.positive and x is not trigger and x.predicate != "="]
    checks = [x for x in schema.literals if x.predicate == "=" or not (x.positive or x.predicate in fluents)]
    builder.check(checks)
    while todo:
        literal = max(todo, key=lambda x: (*builder.bound(x), x.predicate not in fluents, -len(x.args)))
        todo.remove(literal)
        builder.join(literal)
        builder.check(checks)
    for slot in schema.slots:
        if slot not in builder.layout:
            builder.every(slot)
            builder.check(checks)
    return builder.finish()


class _Builder:
    def __init__(self, schema: Schema, declared: Mapping[str, tuple[str, ...]], types: Types) -> None:
        self.schema, self.declared, self.types = schema, declared, types
        self.start = tuple(slot for slot in schema.slots if slot[0] != "?")
        self.layout = list(self.start)
        self.steps: list[Step] = []
        self.vouched = {
            arg
            for x in schema.literals
            if x.positive and x.predicate in declared
            for arg, kind in zip(x.args, declared[x.predicate], strict=True)
            if arg in schema.slot_types and types.is_a(kind, schema.slot_types[arg])
        }

    def bound(self, literal: Literal) -> tuple[bool, int]:
        known = sum(arg in self.layout for arg in literal.args)
        return known == len(literal.args), known

    def positions(self, args: Sequence[str]) -> tuple[int, ...]:
        return tuple(self.layout.index(arg) for arg in args)

    def take(self, args: Sequence[str]) -> None:
        """Columns that arrive with the trigger's facts; a repeated or constant argument becomes a comparison."""
        width = len(self.layout)
        names = [f"={width + i}" if arg in self.layout or arg in args[:i] else arg for i, arg in enumerate(args)]
        self.layout += names
        for name, arg in zip(names, args, strict=True):
            if name == arg:
                self.typed(arg)
            else:
                self.steps.append(_compare(True, *self.positions((name, arg))))

    def join(self, literal: Literal) -> None:
        args = literal.args
        bound = tuple(i for i, arg in enumerate(args) if arg in self.layout)
        rest = tuple(i for i in range(len(args)) if i not in bound)
        key = key_of(self.positions([args[i] for i in bound]))
        if not rest:
            self.steps.append(_keep(literal.predicate, bound, key, present=True))
            return
        self.steps.append(_extend(literal.predicate, bound, rest, key))
        self.take([args[i] for i in rest])

    def every(self, slot: str) -> None:
        kind = self.schema.slot_types[slot]
        self.steps.append(lambda table, relations: [(*b, o) for b in table for o in relations.objects.get(kind, ())])
        self.layout.append(slot)

    def typed(self, slot: str) -> None:
        """A type check, where no declared predicate vouches for the type."""
        if slot not in self.vouched:
            self.steps.append(_of_type(self.layout.index(slot), self.schema.slot_types[slot]))

    def check(self, checks: list[Literal]) -> None:
        """Apply (and remove) the comparisons and negations whose arguments are all bound by now."""
        for literal in [x for x in checks if all(arg in self.layout for arg in x.args)]:
            checks.remove(literal)
            places = self.positions(literal.args)
            if literal.predicate == "=":
                self.steps.append(_compare(literal.positive, *places))
            else:
                every = tuple(range(len(places)))
                self.steps.append(_keep(literal.predicate, every, key_of(places), present=False))

    def finish(self) -> Plan:
        if tuple(self.layout) != self.schema.slots:
            order = key_of(self.positions(self.schema.slots))
            self.steps.append(lambda table, relations: [order(b) for b in table])
        return Plan(self.start, tuple(self.steps))


def _compare(equal: bool, left: int, right: int) -> Step:
    if equal:
        return lambda table, relations: [b for b in table if b[left] == b[right]]
    return lambda table, relations: [b for b in table if b[left] != b[right]]


def _of_type(place: int, kind: str) -> Step:
    def step(table: list[Row], relations: Relations) -> list[Row]:
        allowed = set(relations.objects.get(kind, ()))
        return [b for b in table if b[place] in allowed]

    return step


def _keep(predicate: str, bound: tuple[int, ...], key: Key, present: bool) -> Step:
    def step(table: list[Row], relations: Relations) -> list[Row]:
        index = relations.index(predicate, bound, ())
        return [b for b in table if (key(b) in index) == present]

    return step


def _extend(predicate: str, bound: tuple[int, ...], rest: tuple[int, ...], key: Key) -> Step:
    def step(table: list[Row], relations: Relations) -> list[Row]:
        index = relations.index(predicate, bound, rest)
        return [b + tail for b in table for tail in index.get(key(b), ())]

    return step
