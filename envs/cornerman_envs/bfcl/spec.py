"""The environment's specification and the tasks of its splits.

BFCL has no splits. The same conversation stands in all four categories, under the same number, with more text, a
withheld tool or a missing detail; so a split is a set of numbers. Even ones are `train` (100 numbers, 400 tasks), every
sixteenth is `dev` (12, 48 tasks), the rest is `test` (88, 352 tasks).
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping

from cornerman.environment import EnvironmentSpec
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task
from cornerman_envs.bfcl.env import BFCLEnv
from cornerman_envs.bfcl.problem import digest_of
from cornerman_envs.bfcl.wheel import ASSET, CATEGORIES, entries

ID = "cornerman/BFCLMultiTurn-v1"
SPLITS = ("train", "dev", "test")


def split_of(number: int) -> str:
    """The split of a conversation."""
    return "train" if number % 2 == 0 else "dev" if number % 16 == 15 else "test"


def task_of(entry: str) -> Task:
    """The task for a conversation, named as in the wheel: `multi_turn_base_0`. The family is the category."""
    category, _, number = entry.removeprefix("multi_turn_").rpartition("_")
    return Task(
        env=ID,
        id=f"bfcl-{category.replace('_', '-')}-{number}",
        split=split_of(int(number)),
        family=category,
        settings={"entry": entry},
        data=digest_of(entry),
    )


def category_tasks(category: str) -> list[Task]:
    """All 200 conversations of a category."""
    return [task_of(entry) for entry in entries(category)]


def tasks(split: str) -> list[Task]:
    """Every conversation of a split, one category after the other."""
    if split not in SPLITS:
        raise UsageError(f"{ID} has no split '{split}'; {did_you_mean(split, SPLITS)}")
    return [task for category in CATEGORIES for task in category_tasks(category) if task.split == split]


def versions() -> Mapping[str, str]:
    """Long roots and logarithms are mpmath's."""
    return {"mpmath": importlib.metadata.version("mpmath")}


# Not light: a call can take long (a folder copied into itself, again and again), and the wheel's modules are imported.
multi_turn = EnvironmentSpec(
    id=ID,
    make=BFCLEnv,
    seedable=False,
    gold="script",
    splits=SPLITS,
    tasks=tasks,
    assets=(ASSET,),
    versions=versions,
)
