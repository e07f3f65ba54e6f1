"""BabyAI under Gymnasium's own `make`. Importing this module registers it:

import cornerman_envs.babyai.gym
env = gymnasium.make("cornerman/BabyAI-v1", seed=3, level="UnlockPickup")
env = gymnasium.make("cornerman_envs.babyai.gym:cornerman/BabyAI-v1", task=task)
"""

from __future__ import annotations

from typing import Any

import gymnasium

from cornerman.errors import UsageError
from cornerman.records import Task

from .env import BabyAIEnv
from .spec import ENV


def make(*, task: Task | None = None, seed: int = 0, **settings: Any) -> BabyAIEnv:
    """The environment of a task, or of the world that a seed and settings ask for. Not both."""
    if task is None:
        task = Task(env=ENV, id=f"{ENV}-seed{seed}", seed=seed, settings=settings)
    elif seed or settings:
        raise UsageError("give either a task or a seed and settings, not both")
    elif task.env != ENV:
        raise UsageError(f"task {task.id} is one of {task.env}, not of {ENV}")
    return BabyAIEnv(task)


def register_gymnasium() -> None:
    """Enter the id into Gymnasium's registry; one that is there already stays as it is."""
    if ENV not in gymnasium.registry:
        gymnasium.register(id=ENV, entry_point=make)


register_gymnasium()
