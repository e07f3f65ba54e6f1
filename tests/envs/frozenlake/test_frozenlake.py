"""FrozenLake in text: maps, moves, slips, and what is shown."""

from __future__ import annotations

from typing import Any

import pytest

from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.suites import Suite
from cornerman_envs.frozenlake import spec
from cornerman_envs.frozenlake.env import HORIZON, UNKNOWN, FrozenLakeEnv
from cornerman_envs.frozenlake.maps import make_map
from cornerman_envs.light.listing import part_of

PANELS = {
    "frozenlake-smoke": (5, "37f63cafad06debc8507c28636d29c6e8fc6a4bc59559f205fd0f966c2b5459e"),
    "frozenlake-dev": (50, "175d4927279407dbe2252a32ed47c00c00b5edb8d5f9c80e430a6dc4e5878912"),
    "frozenlake-test": (200, "e1caf6ff6babd5064a4c6ffe9c47a68d466da7f661201def777da3c8dbc29c51"),
    "frozenlake-symbols-dev": (50, "311b35a202077ab921ab70509d8e57294af9d0ca78adcf1f813f9e35adaebf3f"),
    "frozenlake-symbols-test": (200, "ed1d33e748cd0f6c5c9ac0721b7fbf67c50c66bfb454c738e4099a77dbf45867"),
}
SLIPPERY = [task for task in spec.frozenlake.tasks("dev") if "slippery" in task.family][::10]  # type: ignore[misc]


def play(seed: int = 0, **settings: Any) -> tuple[FrozenLakeEnv, str]:
    env = FrozenLakeEnv(Task(env=spec.ENV, id="x", seed=seed, settings=settings))
    return env, env.reset(seed=seed)[0]


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_are_frozen_and_no_map_comes_twice(name: str, plugins: Plugins) -> None:
    suite: Suite = plugins.registry.get("suite", name).load()()
    assert (suite.name, len(suite.tasks), suite.panel) == (name, *PANELS[name])
    assert len({FrozenLakeEnv(task).map for task in suite.tasks}) == len(suite.tasks)


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_maps_are_solvable_and_of_their_split(split: str) -> None:
    for task in spec.frozenlake.tasks(split)[::40]:  # type: ignore[misc]
        map_ = FrozenLakeEnv(task).map
        distance = map_.distance()
        assert distance is not None
        assert distance >= map_.size - 1
        assert part_of(map_.text) == split
        assert {map_.start, map_.goal}.isdisjoint(map_.holes)


def test_moves_edges_goal_and_hole() -> None:
    env, opening = play(size=4)
    map_ = env.map
    assert opening.count("P") == 2  # once in the rules
    for kind, cells in (("hole", map_.holes), ("goal", {map_.goal})):
        cell = next(c for c in cells for c in (c + 1, c - 1) if 0 <= c < 16 and c not in {*map_.holes, map_.goal})
        move = next(m for m in ("left", "right", "up", "down") if map_.moved(cell, m) in cells)
        env.restore({"cell": cell})
        observation, reward, ended, _, info = env.step(move)
        assert observation.startswith(f"You {'reach the goal' if kind == 'goal' else 'fall into a hole'}.\n")
        assert (reward, ended, info["success"]) == (float(kind == "goal"), True, kind == "goal")
        assert env.gold() == ([] if kind == "goal" else None)
    env.restore({"cell": next(cell for cell in range(4) if cell not in {*map_.holes, map_.goal})})
    assert env.step("up")[0].startswith("You stay where you are.\n")
    assert env.step("north")[0] == UNKNOWN


def test_gold_is_the_shortest_way() -> None:
    for seed in range(20):
        env, _ = play(seed=seed, size=6)
        plan = env.gold()
        assert plan is not None
        assert len(plan) == make_map(6, seed).distance()


def test_bare_symbols_tell_no_rules() -> None:
    told, grid = play(size=5)
    bare, symbols = play(size=5, observation="symbols")
    assert told.map == bare.map
    board = grid.split("\n\n")[1].translate(str.maketrans("P.OG", "ACBD"))
    assert symbols == f"Solve the puzzle. Actions: up, down, left, right.\n\n{board}"
    assert "hole" not in bare.step("up")[0]
    assert bare.gold() is not None or bare.facts()["player"] in bare.facts()["holes"]


@pytest.mark.parametrize("task", SLIPPERY, ids=lambda task: task.id)
def test_gold_reckons_with_the_slips(task: Task) -> None:
    env = FrozenLakeEnv(task)
    env.reset(seed=task.seed)
    plan, info, slipped = env.gold(), {}, 0
    assert plan is not None
    assert len(plan) <= HORIZON
    for move in plan:
        meant = env.map.moved(env.facts()["player"], move)
        *_, info = env.step(move)
        slipped += env.facts()["player"] != meant
    assert info["success"]
    assert slipped or len(plan) < 10


def test_slips_follow_the_seed_of_reset() -> None:
    env, _ = play(size=6, slippery=True)
    ways = []
    for seed in (1, 1, 2, 3, 4):
        env.reset(seed=seed)
        ways.append([env.step(move)[0] for move in ("left", "right", "up", "down")])
    assert ways[0] == ways[1]
    assert len({tuple(way) for way in ways}) > 1
