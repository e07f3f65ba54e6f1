"""Joins and reachability against brute force."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.envs.alfworld.small import filling, tiny

from cornerman_envs.alfworld.engine.grounding import ground
from cornerman_envs.alfworld.engine.joins import NO_TRIGGER, Relations, Row, make_plan
from cornerman_envs.alfworld.engine.pddl import Types, read_problem
from cornerman_envs.alfworld.engine.schemas import AT, Domain, Literal, load_domain, make_schema

OBJECTS = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}
TYPES = Types({"a": "object", "b": "object"})
BY_TYPE = {"object": list(OBJECTS), "a": ["a1", "a2"], "b": ["b1", "b2"]}
PREDICATES = {"p": ("object", "object"), "q": ("a",), "r": ("object", "object", "object")}
VARIABLES = {"?x": "a", "?y": "object", "?z": "b"}
TERMS = [*VARIABLES, "a1", "b2"]


@st.composite
def literals(draw: st.DrawFn) -> Literal:
    predicate = draw(st.sampled_from([*PREDICATES, "="]))
    size = len(PREDICATES.get(predicate, ("", "")))
    args = tuple(draw(st.lists(st.sampled_from(TERMS), min_size=size, max_size=size)))
    return Literal(draw(st.booleans()), predicate, args)


@st.composite
def facts(draw: st.DrawFn) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    for predicate, kinds in PREDICATES.items():
        possible = list(product(*(BY_TYPE[kind] for kind in kinds)))
        tables[predicate] = draw(st.lists(st.sampled_from(possible), unique=True, max_size=12))
    return tables


def brute_force(
    slots: tuple[str, ...], conjunction: tuple[Literal, ...], fluents: frozenset[str], tables: dict[str, list[Row]]
) -> set[Row]:
    found: set[Row] = set()
    for values in product(*([slot] if slot in OBJECTS else BY_TYPE[VARIABLES[slot]] for slot in slots)):
        env = dict(zip(slots, values, strict=True))
        for positive, predicate, names in conjunction:
            args = tuple(env[name] for name in names)
            holds = args[0] == args[1] if predicate == "=" else args in tables[predicate]
            ignored = not positive and predicate in fluents
            if holds != positive and not ignored:
                break
        else:
            found.add(values)
    return found


@settings(max_examples=300, deadline=None)
@given(st.lists(literals(), min_size=1, max_size=4), facts(), st.frozensets(st.sampled_from(["p", "r"])), st.data())
def test_a_plan_finds_the_bindings_that_brute_force_finds(
    conjunction: list[Literal], tables: dict[str, list[Row]], fluents: frozenset[str], data: st.DataObject
) -> None:
    """With and without a trigger, each binding once."""
    schema = make_schema("s", [("?x", "a"), ("?y", "object")], VARIABLES, tuple(conjunction))
    expected = brute_force(schema.slots, schema.literals, fluents, tables)
    positive = [x for x in schema.literals if x.positive and x.predicate in PREDICATES]
    trigger = data.draw(st.sampled_from([None, *positive]))
    plan = make_plan(schema, trigger, fluents, PREDICATES, TYPES)
    relations = Relations(BY_TYPE, {predicate: list(rows) for predicate, rows in tables.items()})
    found = plan.bindings(list(tables[trigger.predicate]) if trigger else NO_TRIGGER, relations)
    assert len(found) == len(set(found))
    assert set(found) == expected


@given(facts(), facts())
def test_an_index_keeps_up_with_new_facts(first: dict[str, list[Row]], second: dict[str, list[Row]]) -> None:
    relations = Relations(BY_TYPE, {"p": list(first["p"])})
    before = relations.index("p", (1,), (0,))
    relations.add("p", [row for row in second["p"] if row not in first["p"]])
    fresh = Relations(BY_TYPE, {"p": relations.tables["p"]}).index("p", (1,), (0,))
    assert relations.index("p", (1,), (0,)) is before
    assert before == fresh


def reachable(domain: Domain, text: str) -> tuple[set[tuple[str, Row]], set[tuple[str, Row]]]:
    """Facts and operators by trying every binding of every schema until nothing is new."""
    problem = read_problem(text)
    objects = {kind: [o for o, t in problem.objects.items() if domain.types.is_a(t, kind)] for kind in KINDS}
    holding = set(problem.init)
    operators: set[tuple[str, Row]] = set()
    while True:
        before = len(holding) + len(operators)
        for action in domain.actions:
            for values in product(*([s] if s[0] != "?" else objects[action.slot_types[s]] for s in action.slots)):
                env = dict(zip(action.slots, values, strict=True))
                needed = {(x.predicate, tuple(env[a] for a in x.args)) for x in action.literals if x.positive}
                if needed <= holding:
                    operators.add((action.name, values[: len(action.parameters)]))
                    holding |= {(e.predicate, tuple(env[a] for a in e.args)) for e in action.effects if e.positive}
        if len(holding) + len(operators) == before:
            return holding, operators


KINDS = ("object", "agent", "location", "receptacle", "thing", "cup")


@pytest.mark.parametrize("data", [tiny(), filling()], ids=["tiny", "filling"])
def test_reachability(data: dict[str, object]) -> None:
    """What can ever hold and run in a small game is what naive iteration finds."""
    domain, text = load_domain(str(data["pddl_domain"])), str(data["pddl_problem"])
    game = ground(domain, read_problem(text))
    facts_reached, operators = reachable(domain, text)
    assert {*game.static, *game.fluents} == facts_reached
    filed = [(a.name, b[: len(a.parameters)]) for by in game.operators.values() for a, rows in by.items() for b in rows]
    assert set(filed) == operators
    assert [bit for rows in game.bits.values() for bit in rows.values()] == [1 << i for i in range(len(game.fluents))]
    assert game.here(game.location) == game.bits[AT][game.agent, game.location]
