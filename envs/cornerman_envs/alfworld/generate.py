"""Making ALFWorld games from what the alfworld wheel ships: the real domain, grammar and rooms, things laid out anew.

A game depends on its `GameSpec` alone. Every game can be won: the target object lies in some receptacle, its goal
takes it, and the gold policy's commands are part of the game as its walkthrough.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cornerman.errors import UsageError
from cornerman_envs.alfworld.engine import Game
from cornerman_envs.alfworld.gold import gold_plan
from cornerman_envs.alfworld.scenes import OPENABLE, Receptacle, Scene, Shipped, coordinates, load_shipped
from cornerman_envs.alfworld.specs import LAMP, GameSpec, candidates, lamp_places

_AFFORDANCES = (
    ("Cleanable", "cleanable"),
    ("Heatable", "heatable"),
    ("Coolable", "coolable"),
    ("Toggleable", "toggleable"),
    ("Sliceable", "sliceable"),
)

_ESCAPES = (("|", "_bar_"), ("-", "_minus_"), ("+", "_plus_"), (".", "_dot_"))


@dataclass(frozen=True)
class GeneratedGame:
    spec: GameSpec
    data: dict[str, object]
    """The content of a `.tw-pddl` file: pddl_domain, pddl_problem, grammar, solvable, walkthrough."""


@dataclass(frozen=True)
class _Thing:
    id: str
    kind: str
    home: Receptacle


def generate(asset: Path, spec: GameSpec) -> GeneratedGame:
    """Make a game.

    Args:
        asset: the folder that holds the unpacked alfworld wheel.
        spec: which game.

    Raises:
        UsageError: no unpacked wheel is there, or the scene does not exist or cannot have this task.
    """
    shipped = load_shipped(asset)
    scene = shipped.scenes.get(spec.scene)
    if scene is None or (spec.object, spec.target) not in candidates(shipped, scene, spec.task_type):
        raise UsageError(f"no such task can be made: {spec.id}")
    rng = random.Random(spec.id)
    things = _lay_out(shipped, scene, spec, rng)
    opening = {"obj": spec.object, "recep": spec.target, "toggle": spec.target}
    wording = rng.choice(shipped.wordings[spec.task_type]).format(**{k: v.lower() for k, v in opening.items()})
    goal = shipped.goals[spec.task_type].format(**opening).replace("#", "-").rstrip()
    data: dict[str, object] = {
        "pddl_domain": shipped.domain,
        "grammar": shipped.grammar.replace("UNKNOWN GOAL", wording),
        "pddl_problem": _problem(shipped, scene, spec, things, goal),
        "solvable": True,
    }
    game = Game.from_dict(data, source=spec.id)
    return GeneratedGame(spec, data | {"walkthrough": gold_plan(game, game.reset(), spec.params)})


def _lay_out(shipped: Shipped, scene: Scene, spec: GameSpec, rng: random.Random) -> list[_Thing]:
    """One or two of every kind of thing that the room has, each in some receptacle; sorted by id.

    No target object starts in a receptacle of the goal's kind. A task with two objects has two or three of them.
    """
    taken: set[str] = set()
    things: list[_Thing] = []

    def put(kind: str, homes: list[Receptacle]) -> None:
        name = f"{kind}|{coordinates(rng)}"
        while name in taken:
            name = f"{kind}|{coordinates(rng)}"
        taken.add(name)
        things.append(_Thing(name, kind, rng.choice(homes)))

    for kind in scene.objects:
        if kind in shipped.affords["Toggleable"]:
            continue
        avoid = spec.target if kind == spec.object else None
        homes = [r for r in scene.receptacles if kind in shipped.holds[r.kind] and r.kind != avoid]
        least = 2 if kind == spec.object and spec.task_type == "pick_two_obj_and_place" else 1
        for _ in range(rng.randint(least, least + 1)):
            put(kind, homes)
    places = lamp_places(scene)
    if scene.has_desk_lamp and places:
        put(LAMP, [r for r in scene.receptacles if r.id in places])
    return sorted(things, key=lambda thing: thing.id)


def _problem(shipped: Shipped, scene: Scene, spec: GameSpec, things: list[_Thing], goal: str) -> str:
    """The PDDL problem. `goal` is alfworld's formula, whose last parenthesis closes the problem."""
    locations = {r.location for r in scene.receptacles}
    start = next(f"loc|{x}|0|0|0" for x in range(len(locations) + 1) if f"loc|{x}|0|0|0" not in locations)
    objects = [
        "agent1 - agent",
        *(f"{kind}Type - otype" for kind in shipped.object_kinds),
        *(f"{kind}Type - rtype" for kind in shipped.receptacle_kinds),
        *(f"{_escape(thing.id)} - object" for thing in things),
        *(f"{_escape(r.id)} - receptacle" for r in scene.receptacles),
        *(f"{_escape(location)} - location" for location in sorted({*locations, start})),
    ]
    facts = [
        f"atLocation agent1 {_escape(start)}",
        *(fact for r in scene.receptacles for fact in _receptacle_facts(r)),
        *(
            f"canContain {home}Type {kind}Type"
            for home in sorted(scene.kinds)
            for kind in sorted(shipped.holds[home] & set(shipped.object_kinds))
        ),
        *(fact for thing in things for fact in _thing_facts(shipped, thing)),
    ]
    body, closing = goal[:-1], goal[-1]
    return "\n".join(
        [
            f"(define (problem {_escape(spec.id.replace('/', '_'))})",
            "(:domain alfred)",
            "(:objects",
            *(f"    {line}" for line in objects),
            ")",
            "(:init",
            "    (= (total-cost) 0)",
            *(f"    ({fact})" for fact in facts),
            ")",
            body.strip("\n"),
            "(:metric minimize (total-cost))",
            closing,
        ]
    )


def _receptacle_facts(receptacle: Receptacle) -> Iterator[str]:
    name = _escape(receptacle.id)
    yield f"receptacleType {name} {receptacle.kind}Type"
    yield f"receptacleAtLocation {name} {_escape(receptacle.location)}"
    if receptacle.kind in OPENABLE:
        yield f"openable {name}"


def _thing_facts(shipped: Shipped, thing: _Thing) -> Iterator[str]:
    name = _escape(thing.id)
    yield f"objectType {name} {thing.kind}Type"
    yield f"inReceptacle {name} {_escape(thing.home.id)}"
    yield f"objectAtLocation {name} {_escape(thing.home.location)}"
    if thing.kind in shipped.containers:
        yield f"isReceptacleObject {name}"
    for affordance, predicate in _AFFORDANCES:
        if thing.kind in shipped.affords[affordance]:
            yield f"{predicate} {name}"
    if thing.kind not in shipped.affords["Toggleable"]:
        yield f"pickupable {name}"


def _escape(name: str) -> str:
    """Ids as official games write them, since PDDL has no place for AI2-THOR's signs."""
    for sign, word in _ESCAPES:
        name = name.replace(sign, word)
    return name
