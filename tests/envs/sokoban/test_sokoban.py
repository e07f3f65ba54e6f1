"""Sokoban in text: moves, the two searches against each other, deadlocks, and made rooms."""

from __future__ import annotations

import itertools

import pytest

from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.suites import Suite
from cornerman_envs.light.grid import MOVES
from cornerman_envs.light.listing import part_of
from cornerman_envs.sokoban import spec
from cornerman_envs.sokoban.env import UNKNOWN, SokobanEnv
from cornerman_envs.sokoban.maker import FEWEST_MOVES, make_room
from cornerman_envs.sokoban.rooms import Position, Room
from cornerman_envs.sokoban.search import distances, solve

PANELS = {
    "sokoban-smoke": (5, "a6321767179283eff561db0cafa328b7d07bbd61e454d9adf2cc25fb19feb4d4"),
    "sokoban-dev": (50, "49f01c2c8ba635fae0fd0280a847a64a70e73e5de08c33c1c5d048963cc6ac9e"),
    "sokoban-test": (200, "65a4ce5ef68dee7d398226f012a4b12265c32c4969c3364623605b54c19f05cc"),
}


def read(*lines: str) -> tuple[Room, Position]:
    """A drawn room."""
    cells = dict(enumerate("".join(lines)))
    free, targets, boxes = (
        frozenset(cell for cell, symbol in cells.items() if symbol in symbols) for symbols in ("_.$*@+", ".*+", "$*")
    )
    player = next(cell for cell, symbol in cells.items() if symbol in "@+")
    return Room(len(lines), free, targets), Position(player, boxes)


def play(*lines: str) -> SokobanEnv:
    """An environment set to a drawn room."""
    env = SokobanEnv(Task(env=spec.ENV, id="x"))
    env.room, env.first = read(*lines)
    env.reset()
    return env


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_are_frozen_and_no_room_comes_twice(name: str, plugins: Plugins) -> None:
    suite: Suite = plugins.registry.get("suite", name).load()()
    assert (suite.name, len(suite.tasks), suite.panel) == (name, *PANELS[name])
    assert len({SokobanEnv(task).reset()[0] for task in suite.tasks}) == len(suite.tasks)


def test_steps_pushes_and_walls() -> None:
    env = play("######", "#@___#", "#_$$_#", "#_..##", "#____#", "######")
    said = [
        ("push", UNKNOWN, 0.0),
        ("up", "You cannot move up.\n######\n#@___#\n#_$$_#\n#_..##\n#____#\n######", 0.0),
        ("down", "######\n#____#\n#@$$_#\n#_..##\n#____#\n######", 0.0),
        ("right", "You cannot move right.\n######\n#____#\n#@$$_#\n#_..##\n#____#\n######", 0.0),
        ("up", "######\n#@___#\n#_$$_#\n#_..##\n#____#\n######", 0.0),
        ("right", "######\n#_@__#\n#_$$_#\n#_..##\n#____#\n######", 0.0),
        ("down", "######\n#____#\n#_@$_#\n#_*.##\n#____#\n######", 0.5),
        ("down", "######\n#____#\n#__$_#\n#_+.##\n#_$__#\n######", -0.5),
    ]
    for action, answer, reward in said:
        assert env.step(action)[:3] == (answer, reward, False)
    assert env.gold() is None
    assert env.facts()["solvable"] is False
    assert env.step("up")[4]["admissible_actions"]


def test_admissible_moves_are_those_that_do_something() -> None:
    env = play("#####", "#@$_#", "#_#_#", "#__.#", "#####")
    _, info = env.reset()
    assert info["admissible_actions"] == ["down", "right"]


def test_a_box_in_a_corner_is_a_deadlock() -> None:
    cornered = "#####", "#$__#", "#__@#", "#__.#", "#####"
    room, here = read(*cornered)
    assert solve(room, here) is None
    assert here not in distances(room)
    assert play(*cornered).gold() is None
    assert solve(*read("#####", "#_@_#", "#_$_#", "#_._#", "#####")) == ["down"]


def test_the_search_backwards_agrees_with_the_search_forwards() -> None:
    """On every position of small rooms: reverse play reaches exactly what can be solved, in as many moves."""
    for seed in range(3):
        room, _ = make_room(5, 2 if seed else 1, seed)
        found = distances(room)
        for player, *boxes in itertools.permutations(sorted(room.free), 1 + len(room.targets)):
            here = Position(player, frozenset(boxes))
            plan = solve(room, here)
            assert (None if plan is None else len(plan)) == found.get(here)


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_made_rooms_are_of_their_split_walled_and_solvable(split: str) -> None:
    for task in spec.sokoban.tasks(split)[::25]:  # type: ignore[misc]
        env = SokobanEnv(task)
        size = env.room.size
        assert part_of(f"sokoban\n{env.room.draw(env.first)}") == split
        assert not env.first.boxes & env.room.targets
        assert all(0 < cell // size < size - 1 and 0 < cell % size < size - 1 for cell in env.room.free)
        plan = solve(env.room, env.first)
        assert plan is not None
        assert len(plan) >= FEWEST_MOVES
        assert set(plan) <= set(MOVES)
