"""The environments' specifications and the tasks of their splits.

Every family (a kind at one level of difficulty) has tasks in each split, with seeds that no other split has. Cooking
games also draw their foods, and Simple games the food that is wanted, from the set of their split.
"""

from __future__ import annotations

import functools
from typing import Any

from cornerman.environment import EnvironmentSpec
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task

from . import library
from .env import TextWorldEnv

SPLITS: dict[str, tuple[int, int]] = {"train": (0, 200), "dev": (1_000_000, 25), "test": (2_000_000, 25)}
"""First seed and number of tasks of a family, by split. The families of an environment lie 1,000 seeds apart."""

SIMPLE, COIN, TREASURE, COOKING = (
    "cornerman/TextWorldSimple-v1",
    "cornerman/TextWorldCoinCollector-v1",
    "cornerman/TextWorldTreasureHunter-v1",
    "cornerman/TextWorldCooking-v1",
)

_ONE: dict[str, Any] = {"recipe": 1, "take": 1}
_THREE: dict[str, Any] = {"recipe": 3, "take": 3}
_PROCESS: dict[str, Any] = {"cook": True, "cut": True, "open": True}

FAMILIES: dict[str, dict[str, dict[str, Any]]] = {
    SIMPLE: {
        "simple-detailed": {"rewards": "dense", "goal": "detailed"},
        "simple-dense": {"rewards": "dense"},
        "simple-balanced": {"rewards": "balanced"},
        "simple-sparse": {"rewards": "sparse"},
    },
    COIN: {f"coin-{level}": {"level": level} for level in (5, 10, 20, 105, 110)},
    TREASURE: {f"treasure-{level}": {"level": level} for level in (5, 10, 15, 20, 25, 30)},
    COOKING: {
        "cooking-r1": _ONE,
        "cooking-r1-cut": {**_ONE, "cut": True, "open": True},
        "cooking-r1-process": {**_ONE, **_PROCESS},
        "cooking-r3-process": {**_THREE, **_PROCESS},
        "cooking-r1-go6": {**_ONE, "open": True, "go": 6},
        "cooking-r1-process-go6": {**_ONE, **_PROCESS, "go": 6},
        "cooking-r3-process-go9": {**_THREE, **_PROCESS, "go": 9},
        "cooking-r3-process-go12": {**_THREE, **_PROCESS, "go": 12},
    },
}
"""Settings by environment and family."""

_FOODS = {"train": "train", "dev": "valid", "test": "test"}


def task_of(env: str, family: str, split: str, number: int) -> Task:
    """The task of that number, from 0, in one family and split."""
    settings = dict(FAMILIES[env][family])
    if env == COOKING:
        settings["split"] = _FOODS[split]
    if env == SIMPLE:
        settings["test"] = split == "test"
    seed = SPLITS[split][0] + 1000 * list(FAMILIES[env]).index(family) + number
    return Task(
        env=env, id=f"textworld-{family}-{split}-{number}", split=split, seed=seed, family=family, settings=settings
    )


def tasks(env: str, split: str) -> list[Task]:
    """All tasks of one environment's split, family by family. Raises UsageError for an unknown split."""
    if split not in SPLITS:
        raise UsageError(f"{env} has no split '{split}'; {did_you_mean(split, SPLITS)}")
    return [task_of(env, family, split, number) for family in FAMILIES[env] for number in range(SPLITS[split][1])]


def _spec(env: str) -> EnvironmentSpec:
    return EnvironmentSpec(
        id=env,
        make=TextWorldEnv,
        gold="policy",
        splits=tuple(SPLITS),
        tasks=functools.partial(tasks, env),
        versions=library.versions,
    )


simple = _spec(SIMPLE)
coin_collector = _spec(COIN)
treasure_hunter = _spec(TREASURE)
cooking = _spec(COOKING)
