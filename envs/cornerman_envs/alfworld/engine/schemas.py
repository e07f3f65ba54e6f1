"""Actions and goals in disjunctive normal form.

One `Schema` is one conjunction: an action whose precondition has three disjuncts becomes three schemas of the same
name, as in the Fast Downward translator. Existential variables become extra slots of the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from operator import itemgetter
from typing import NamedTuple

from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.pddl import ActionText, SExpr, Types, read_domain, typed_list

AT = "atlocation"
"""The predicate that says where the one agent is; the engine keeps its tables by location."""


class Literal(NamedTuple):
    positive: bool
    predicate: str
    args: tuple[str, ...]


Conjunction = tuple[Literal, ...]


class Effect(NamedTuple):
    """`conditional` effects keep no condition: the stock engine reports them whether or not they fire."""

    conditional: bool
    positive: bool
    predicate: str
    args: tuple[str, ...]


Key = Callable[[tuple[str, ...]], tuple[str, ...]]


def key_of(positions: tuple[int, ...]) -> Key:
    """A function that picks these positions out of a tuple, always as a tuple."""
    if len(positions) > 1:
        return itemgetter(*positions)
    begin = positions[0] if positions else 0
    # Faster than a lambda, which loading a game would call 30,000 times.
    return itemgetter(slice(begin, begin + len(positions)))


class GroundLiteral(NamedTuple):
    """A literal whose arguments are read off a binding of the schema's slots."""

    predicate: str
    args: Key


class GroundEffect(NamedTuple):
    conditional: bool
    positive: bool
    predicate: str
    args: Key


@dataclass(frozen=True, eq=False)
class Schema:
    """One disjunct of one action, or of the goal.

    `slots` names what a binding holds, in order: the parameters, then existential variables, then constants.
    `slot_types` has no entry for constants.
    """

    name: str
    parameters: tuple[str, ...]
    slots: tuple[str, ...]
    slot_types: dict[str, str]
    literals: Conjunction
    effects: tuple[Effect, ...]

    def ground(self, args: tuple[str, ...]) -> Key:
        return key_of(tuple(self.slots.index(a) for a in args))


@dataclass(frozen=True, eq=False)
class Action(Schema):
    """A schema of an action with its literals prepared for grounding; only fluents get there."""

    pre: tuple[GroundLiteral, ...] = ()
    npre: tuple[GroundLiteral, ...] = ()
    ground_effects: tuple[GroundEffect, ...] = ()
    added: tuple[GroundLiteral, ...] = ()
    at_slot: int | None = None
    """Where a binding holds the agent's location, for actions that need one."""
    watch: GroundLiteral | None = None
    """The fluent precondition, other than the location, under which operators are filed."""


@dataclass(frozen=True, eq=False)
class Domain:
    types: Types
    predicates: dict[str, tuple[str, ...]]
    fluents: frozenset[str]
    """Predicates that some effect changes."""
    actions: list[Action]
    constants: frozenset[str]
    """Objects that effects name; the problem must have them."""


@dataclass
class Normalizer:
    """Turns a formula into disjunctive normal form; `variables` collects the types of the existential ones."""

    types: Types
    variables: dict[str, str] = field(default_factory=dict)
    _fresh: count[int] = field(default_factory=count)

    def disjuncts(self, formula: SExpr, positive: bool = True) -> list[Conjunction]:
        """The conjunctions of which one must hold; `[()]` is true and `[]` is false.

        Raises:
            GameError: forall, implies, a number, or an exists under a negation.
        """
        match formula:
            case []:
                return [()] if positive else []
            case ["not", inner]:
                return self.disjuncts(inner, not positive)
            case ["exists", list(items), inner] if positive:
                return self._exists(typed_list(items), inner)
            case ["and" | "or" as word, *parts]:
                options = [self.disjuncts(part, positive) for part in parts]
                if (word == "or") == positive:
                    return [c for option in options for c in option]
                product: list[Conjunction] = [()]
                for option in options:
                    product = [left + right for left in product for right in option]
                return product
            case [str(predicate), *args] if predicate not in _NOT_PREDICATES:
                names = tuple([a for a in args if isinstance(a, str)])
                if len(names) == len(args):
                    return [(Literal(positive, predicate, names),)]
        raise GameError(f"the formula {'' if positive else 'not '}{_show(formula)}")

    def _exists(self, variables: list[tuple[str, str]], inner: SExpr) -> list[Conjunction]:
        if not all(self.types.known(kind) for _, kind in variables):
            return []  # a type that nothing declares has no objects: see `typed_list`
        names = {name: f"{name}#{next(self._fresh)}" for name, _ in variables}
        self.variables.update({names[name]: kind for name, kind in variables})
        return self.disjuncts(_rename(inner, names))


_NOT_PREDICATES = frozenset({"not", "exists", "forall", "imply", "when", ">", "<", ">=", "<="})


def _rename(formula: SExpr, names: dict[str, str]) -> SExpr:
    if isinstance(formula, str):
        return names.get(formula, formula)
    return [_rename(part, names) for part in formula]


def _show(formula: SExpr) -> str:
    return formula if isinstance(formula, str) else "(" + " ".join(map(_show, formula)) + ")"


def read_effects(formula: SExpr, types: Types, conditional: bool = False) -> list[Effect]:
    """The single effects of a formula; costs are left out."""
    match formula:
        case [] | ["increase", *_]:
            return []
        case ["and", *parts]:
            return [e for part in parts for e in read_effects(part, types, conditional)]
        case ["when", when, inner]:
            if len(Normalizer(types).disjuncts(when)) == 1:
                return read_effects(inner, types, conditional=True)
        case ["not", [str(predicate), *args]] | [str(predicate), *args] if predicate not in _NOT_PREDICATES:
            names = tuple([a for a in args if isinstance(a, str)])
            if len(names) == len(args):
                return [Effect(conditional, formula[0] != "not", predicate, names)]
    raise GameError(f"the effect {_show(formula)}")


def make_schema(
    name: str,
    parameters: list[tuple[str, str]],
    variables: dict[str, str],
    literals: Conjunction,
    effects: tuple[Effect, ...] = (),
) -> Schema:
    arguments = [x.args for x in literals] + [x.args for x in effects]
    used = dict.fromkeys(x for args in arguments for x in args)
    names = [p for p, _ in parameters]
    if odd := [p for p in names if p[0] != "?"]:
        raise GameError(f"action {name}: the parameter {odd[0]} without a question mark")
    bound = [x for x in used if x[0] == "?" and x not in names]
    constants = [x for x in used if x[0] != "?"]
    kinds = dict(parameters) | {x: variables[x] for x in bound if x in variables}
    if len(kinds) != len(names) + len(bound):
        raise GameError(f"action {name}: a variable that nothing declares among {' '.join(bound)}")
    return Schema(name, tuple(names), (*names, *bound, *constants), kinds, literals, effects)


def check_predicates(where: str, items: tuple[Literal | Effect, ...], declared: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse predicates that are not declared, or not with that many arguments."""
    for item in items:
        arity = 2 if item.predicate == "=" else len(declared.get(item.predicate, ()))
        if arity != len(item.args) or item.predicate not in (*declared, "="):
            raise GameError(f"{where}: ({item.predicate} {' '.join(item.args)}), which no predicate declaration fits")


def _prepare(schema: Schema, fluents: frozenset[str]) -> Action:
    def literals(positive: bool) -> tuple[GroundLiteral, ...]:
        found = [x for x in schema.literals if x.positive == positive and x.predicate in fluents]
        return tuple(GroundLiteral(x.predicate, schema.ground(x.args)) for x in found)

    at = [x.args[1] for x in schema.literals if x.positive and x.predicate == AT]
    if len(set(at)) > 1 or _moves(schema, positive=True) != _moves(schema, positive=False):
        raise GameError(f"action {schema.name}: it leaves the agent in no place or in two")
    others = [x for x in literals(True) if x.predicate != AT]
    return Action(
        schema.name,
        schema.parameters,
        schema.slots,
        schema.slot_types,
        schema.literals,
        schema.effects,
        pre=literals(True),
        npre=literals(False),
        ground_effects=tuple(GroundEffect(e[0], e[1], e[2], schema.ground(e.args)) for e in schema.effects),
        added=tuple(GroundLiteral(e.predicate, schema.ground(e.args)) for e in schema.effects if e.positive),
        at_slot=schema.slots.index(at[0]) if at else None,
        watch=min(others, key=lambda x: x.predicate, default=None),
    )


def _moves(schema: Schema, positive: bool) -> int:
    return sum(e.predicate == AT and e.positive == positive for e in schema.effects)


def _action_schemas(action: ActionText, effects: tuple[Effect, ...], types: Types) -> list[Schema]:
    normal = Normalizer(types)
    return [
        make_schema(action.name, action.parameters, normal.variables, literals, effects)
        for literals in normal.disjuncts(action.precondition)
    ]


@lru_cache(maxsize=8)
def load_domain(text: str) -> Domain:
    """The domain with every action in normal form; games of one data set share it."""
    written = read_domain(text)
    if len(written.predicates.get(AT, ())) != 2:
        raise GameError(f"a domain without the predicate {AT} of agent and location")
    schemas: list[Schema] = []
    changed: set[Effect] = set()
    for action in written.actions:
        effects = tuple(read_effects(action.effect, written.types))
        schemas += _action_schemas(action, effects, written.types)
        changed.update(effects)
    for schema in schemas:
        check_predicates(f"action {schema.name}", (*schema.literals, *schema.effects), written.predicates)
    conditional = {effect.predicate for effect in changed if effect.conditional}
    needed = {x.predicate for schema in schemas for x in schema.literals}
    if conditional & needed:
        raise GameError(f"a conditional effect that feeds a precondition: {' '.join(sorted(conditional & needed))}")
    fluents = frozenset(effect.predicate for effect in changed)
    constants = frozenset(x for effect in changed for x in effect.args if x[0] != "?")
    actions = [_prepare(schema, fluents) for schema in schemas]
    return Domain(written.types, written.predicates, fluents, actions, constants)
