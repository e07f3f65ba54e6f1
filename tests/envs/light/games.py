"""The small games and their smoke tasks; what the shared tests play."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from cornerman.environment import EnvironmentSpec
from cornerman.plugins import load
from cornerman.records import Task
from cornerman_envs.light.env import LightEnv

NAMES = ("textcraft", "frozenlake", "sokoban", "minesweeper", "hidden")
TIGHT = {"hidden"}
"""Games whose difficulty is the limit of turns."""
REGISTRY = load().registry
SUITES = {name: REGISTRY.get("suite", f"{name}-smoke").load()() for name in NAMES}
TASKS = [task for name in NAMES for task in SUITES[name].tasks]


def spec_of(task: Task) -> EnvironmentSpec:
    """The specification of a task's environment, by the catalogue."""
    loaded = REGISTRY.get("environment", task.env).load()
    assert isinstance(loaded, EnvironmentSpec)
    return loaded


def make(task: Task) -> LightEnv[Any]:
    """The environment of a task."""
    env = spec_of(task).make(task)
    assert isinstance(env, LightEnv)
    return env


def wander(env: LightEnv[Any], steps: int, seed: int) -> list[Any]:
    """Random admissible actions from the beginning on; what was answered."""
    chance = random.Random(seed)
    observation, info = env.reset(seed=env.task.seed)
    transcript: list[Any] = [[observation, info]]
    for _ in range(steps):
        if not info["admissible_actions"]:
            break
        *answer, info = env.step(chance.choice(info["admissible_actions"]))
        transcript.append([*answer, info])
    return transcript


def transcripts(name: str) -> str:
    """What random play of a game's smoke tasks is answered, as JSON; the same in every process."""
    played = [wander(make(task), 15, number) for number, task in enumerate(SUITES[name].tasks)]
    return msgspec.json.encode(played).decode()
