"""The environments under Gymnasium's own `make`. Importing this module registers them:

import cornerman_envs.searchqa.gym
env = gymnasium.make("cornerman/SearchQA-v1", split="train", number=3)
env = gymnasium.make("cornerman_envs.searchqa.gym:cornerman/SearchQA-v1", task=task)
"""

from __future__ import annotations

import functools

import gymnasium

from cornerman.environment import EnvironmentSpec
from cornerman.errors import UsageError
from cornerman.records import Task

from . import spec

SPECS = {s.id: s for s in (spec.atlas, spec.user_files)}


def make(
    environment: EnvironmentSpec, *, task: Task | None = None, split: str = "train", number: int = 0
) -> gymnasium.Env[str, str]:
    """The environment of a task, or of the question of that number, from 0, in a split."""
    if task is None:
        assert environment.tasks is not None
        tasks = environment.tasks(split)
        if not 0 <= number < len(tasks):
            raise UsageError(f"{environment.id} has {len(tasks)} questions in '{split}'; {number} is none of them")
        task = tasks[number]
    elif task.env != environment.id:
        raise UsageError(f"task {task.id} is one of {task.env}, not of {environment.id}")
    return environment.make(task)


def register_gymnasium() -> None:
    """Enter the ids into Gymnasium's registry; those that are there already stay as they are."""
    for name, environment in SPECS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=functools.partial(make, environment))


register_gymnasium()
