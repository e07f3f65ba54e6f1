"""The environments under Gymnasium's own `make`. Importing this module registers them:

import cornerman_envs.tau2.gym
env = gymnasium.make("cornerman/Tau2TelecomSolo-v1", split="train", number=3)
env = gymnasium.make("cornerman_envs.tau2.gym:cornerman/Tau2Retail-v1", task=task)

Where there is a user, `env.unwrapped.reply` takes its words.
"""

from __future__ import annotations

import functools

import gymnasium

from cornerman.errors import UsageError
from cornerman.records import Task
from cornerman_envs.tau2.env import Tau2Env
from cornerman_envs.tau2.spec import SETTINGS, Setting


def make(setting: Setting, *, task: Task | None = None, split: str = "train", number: int = 0) -> Tau2Env:
    """The environment of a task, or of the one at that place, from 0, in a split."""
    if task is None:
        tasks = setting.tasks(split)
        if not 0 <= number < len(tasks):
            raise UsageError(f"{setting.env} has {len(tasks)} tasks in '{split}'; {number} is none of them")
        task = tasks[number]
    elif task.env != setting.env:
        raise UsageError(f"task {task.id} is one of {task.env}, not of {setting.env}")
    return Tau2Env(task, setting.domain, solo=setting.solo)


def register_gymnasium() -> None:
    """Enter the ids into Gymnasium's registry; those that are there already stay as they are."""
    for setting in SETTINGS.values():
        if setting.env not in gymnasium.registry:
            gymnasium.register(id=setting.env, entry_point=functools.partial(make, setting))


register_gymnasium()
