"""Relaxed reachability: which facts can ever hold and which operators can ever run, deletes ignored.

Semi-naive evaluation: each round joins only the facts that the last round brought. It computes the same sets as the
translator of Fast Downward (Helmert, "Concise finite-domain representations for PDDL planning tasks", Artificial
Intelligence 173, 2009, section 6), so that both engines know the same facts and operators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.joins import NO_TRIGGER, Plan, Relations, Row, make_plan
from cornerman_envs.alfworld.engine.pddl import Atom, Problem, SExpr
from cornerman_envs.alfworld.engine.schemas import AT, Action, Domain, Normalizer, check_predicates, make_schema

Masks = tuple[int, int]
"""Bits that must be set and bits that must be clear."""


Operators = dict[str | None, dict[Action, list[Row]]]
"""Reachable operators: bindings of a schema's slots, by the agent's location (None: anywhere) and schema."""


@dataclass(frozen=True)
class Ground:
    """What one game can ever reach; bit `i` of a state stands for `fluents[i]`."""

    domain: Domain
    object_types: dict[str, str]
    static: list[Atom]
    """Sorted facts of predicates that nothing changes."""
    fluents: list[Atom]
    """Sorted facts that may come to hold."""
    bits: dict[str, dict[Row, int]]
    """The bit of a fluent fact, by predicate and arguments."""
    predicate_bits: dict[str, int]
    """The bits of all fluent facts of a predicate."""
    operators: Operators
    start_facts: list[Atom]
    """The fluents that hold at first, sorted."""
    agent: str
    location: str
    """Where the agent starts."""
    goal: list[Masks]
    """The game is won when one of these holds."""

    def here(self, place: str) -> int:
        """The bit that says that the agent is at a place."""
        return self.bits[AT][self.agent, place]


def ground(domain: Domain, problem: Problem) -> Ground:
    """Explore the game from its initial facts.

    Raises:
        GameError: the agent does not start in exactly one place, or the goal cannot be read.
    """
    places = [args for predicate, args in problem.init if predicate == AT]
    if len(places) != 1:
        raise GameError(f"{len(places)} facts {AT} at the start where there must be one")
    named = {x for _, args in problem.init for x in args} | domain.constants
    if undeclared := sorted(named - problem.objects.keys()):
        raise GameError(f"the object {undeclared[0]}, which the problem does not declare")
    for predicate, args in problem.init:
        if len(domain.predicates.get(predicate, ())) != len(args) or predicate not in domain.predicates:
            raise GameError(f"the initial fact ({predicate} {' '.join(args)}), which no predicate declaration fits")
    relations = Relations(_by_type(domain, problem))
    static: list[Atom] = []
    new: dict[str, list[Row]] = {}
    for atom in problem.init:
        if atom[0] in domain.fluents:
            new.setdefault(atom[0], []).append(atom[1])
        else:
            static.append(atom)
            relations.tables.setdefault(atom[0], []).append(atom[1])
    operators = _explore(domain, relations, new)
    fluents = sorted((predicate, row) for predicate in domain.fluents for row in relations.tables.get(predicate, ()))
    bits: dict[str, dict[Row, int]] = {}
    for i, (predicate, row) in enumerate(fluents):
        bits.setdefault(predicate, {})[row] = 1 << i
    start = sorted(atom for atom in problem.init if atom[0] in domain.fluents)
    unions = {predicate: sum(rows.values()) for predicate, rows in bits.items()}
    goal = _goal(domain, problem.goal, relations, bits)
    agent, location = places[0]
    return Ground(
        domain, problem.objects, sorted(static), fluents, bits, unions, operators, start, agent, location, goal
    )


def _by_type(domain: Domain, problem: Problem) -> dict[str, list[str]]:
    kinds = {"object", *domain.types.parents, *problem.objects.values()}
    return {
        kind: [name for name, own in problem.objects.items() if own == kind or domain.types.is_a(own, kind)]
        for kind in kinds
    }


def _explore(domain: Domain, relations: Relations, new: dict[str, list[Row]]) -> Operators:
    """Run all plans to the fixed point; `relations` then holds every reachable fact."""
    starts, triggers = _plans(domain)
    operators: Operators = {}
    seen: dict[Action, set[Row]] = {action: set() for action in domain.actions}
    known: dict[str, set[Row]] = {predicate: set(new.get(predicate, ())) for predicate in domain.fluents}

    def run(work: list[tuple[Action, Plan, list[Row]]]) -> dict[str, list[Row]]:
        """Record the operators that these plans bring; answer the facts that they add."""
        found: dict[str, list[Row]] = {}
        for action, plan, rows in work:
            old = seen[action]
            fresh = [b for b in dict.fromkeys(plan.bindings(rows, relations)) if b not in old]
            old.update(fresh)
            _file(operators, action, fresh)
            for literal in action.added:
                had = known[literal.predicate]
                added = [row for row in dict.fromkeys(map(literal.args, fresh)) if row not in had]
                had.update(added)
                found.setdefault(literal.predicate, []).extend(added)
        return found

    for predicate, rows in new.items():
        relations.add(predicate, rows)
    delta = new
    found = run([(action, plan, NO_TRIGGER) for action, plan in starts])
    while True:
        for predicate, rows in found.items():
            relations.add(predicate, rows)
            delta[predicate] = delta.get(predicate, []) + rows
        changed = {predicate: rows for predicate, rows in delta.items() if rows and predicate in triggers}
        if not changed:
            return operators
        found = run([(action, plan, rows) for p, rows in changed.items() for action, plan in triggers[p]])
        delta = {}


def _file(operators: Operators, action: Action, bindings: list[Row]) -> None:
    if action.at_slot is None:
        operators.setdefault(None, {}).setdefault(action, []).extend(bindings)
        return
    for binding in bindings:
        here = operators.setdefault(binding[action.at_slot], {})
        if action in here:
            here[action].append(binding)
        else:
            here[action] = [binding]


@lru_cache(maxsize=8)
def _plans(domain: Domain) -> tuple[list[tuple[Action, Plan]], dict[str, list[tuple[Action, Plan]]]]:
    """The join plans of a domain: those that start by themselves, and those that a new fact of a fluent starts."""
    starts: list[tuple[Action, Plan]] = []
    triggers: dict[str, list[tuple[Action, Plan]]] = {}
    for action in domain.actions:
        changing = [x for x in action.literals if x.positive and x.predicate in domain.fluents]
        for literal in changing:
            plan = make_plan(action, literal, domain.fluents, domain.predicates, domain.types)
            triggers.setdefault(literal.predicate, []).append((action, plan))
        if not changing:
            starts.append((action, make_plan(action, None, domain.fluents, domain.predicates, domain.types)))
    return starts, triggers


def _goal(domain: Domain, formula: SExpr, relations: Relations, bits: dict[str, dict[Row, int]]) -> list[Masks]:
    normal = Normalizer(domain.types)
    masks: set[Masks] = set()
    for literals in normal.disjuncts(formula):
        check_predicates("the goal", literals, domain.predicates)
        schema = make_schema("(goal)", [], normal.variables, literals)
        plan = make_plan(schema, None, domain.fluents, domain.predicates, domain.types)
        wanted, unwanted = (
            [(bits.get(x.predicate, {}), schema.ground(x.args)) for x in literals if x.positive == positive]
            for positive in (True, False)
        )
        for b in plan.bindings(NO_TRIGGER, relations):
            masks.add((_union(wanted, b), _union(unwanted, b)))
    return sorted(masks)


def _union(literals: list[tuple[dict[Row, int], Callable[[Row], Row]]], binding: Row) -> int:
    """The bits of these literals under a binding; static and unreachable facts have none."""
    mask = 0
    for bits, args in literals:
        mask |= bits.get(args(binding), 0)
    return mask
