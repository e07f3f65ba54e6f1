"""The environment's specification and the tasks of its splits."""

from __future__ import annotations

from cornerman.environment import EnvironmentSpec
from cornerman.records import Task
from cornerman_envs.scienceworld.env import ScienceWorldEnv
from cornerman_envs.scienceworld.simulator import versions
from cornerman_envs.scienceworld.types import SPLITS, VARIATIONS, split_variations

ENV = "cornerman/ScienceWorld-v1"


def task_of(name: str, variation: int, split: str, simplifications: str = "") -> Task:
    """The task for a variation of a type; its family is the type."""
    suffix = f"-{simplifications.replace(',', '-')}" if simplifications else ""
    return Task(
        env=ENV,
        id=f"scienceworld-{name}-{variation}{suffix}",
        split=split,
        family=name,
        settings={"task": name, "variation": variation, "simplifications": simplifications},
    )


def tasks(split: str) -> list[Task]:
    """Every variation of a split without simplifications, type by type."""
    return [task_of(name, variation, split) for name in VARIATIONS for variation in split_variations(name, split)]


scienceworld = EnvironmentSpec(
    id=ENV,
    make=ScienceWorldEnv,
    seedable=False,
    gold="script",
    splits=SPLITS,
    tasks=tasks,
    versions=versions,
)
