"""The environments under Gymnasium's own `make`. Importing this module registers them:

import cornerman_envs.textworld.gym
env = gymnasium.make("cornerman/TextWorldCooking-v1", seed=3, recipe=2, take=2, cook=True)
env = gymnasium.make("cornerman_envs.textworld.gym:cornerman/TextWorldCooking-v1", task=task)
"""

from __future__ import annotations

import functools
from typing import Any

import gymnasium

from cornerman.errors import UsageError
from cornerman.records import Task

from .env import TextWorldEnv
from .kinds import KINDS


def make(environment: str, *, task: Task | None = None, seed: int = 0, **settings: Any) -> TextWorldEnv:
    """The environment of a task, or of the game that a seed and settings ask for. Not both."""
    if task is None:
        task = Task(env=environment, id=f"{environment}-seed{seed}", seed=seed, settings=settings)
    elif seed or settings:
        raise UsageError("give either a task or a seed and settings, not both")
    elif task.env != environment:
        raise UsageError(f"task {task.id} is one of {task.env}, not of {environment}")
    return TextWorldEnv(task)


def register_gymnasium() -> None:
    """Enter the ids into Gymnasium's registry; those that are there already stay as they are."""
    for environment in KINDS:
        if environment not in gymnasium.registry:
            gymnasium.register(id=environment, entry_point=functools.partial(make, environment))


register_gymnasium()
