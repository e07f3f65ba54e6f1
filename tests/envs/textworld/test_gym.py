"""The environments under Gymnasium's own make."""

from __future__ import annotations

import gymnasium
import pytest

import cornerman_envs.textworld.gym
from cornerman.errors import UsageError
from cornerman.records import Task
from cornerman_envs.textworld import spec
from cornerman_envs.textworld.env import TextWorldEnv

gymnasium.register_envs(cornerman_envs.textworld.gym)


def test_make_with_a_task(task: Task) -> None:
    env = gymnasium.make(task.env, task=task)
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert isinstance(env.unwrapped, TextWorldEnv)
    plan = env.unwrapped.gold()
    assert plan is not None
    for action in plan:
        _, _, terminated, _, info = env.step(action)
    assert terminated
    assert info["success"]
    env.close()


def test_make_with_settings() -> None:
    task = spec.task_of(spec.COIN, "coin-5", "dev", 0)
    ours = gymnasium.make(f"cornerman_envs.textworld.gym:{spec.COIN}", seed=task.seed, level=5)
    theirs = gymnasium.make(spec.COIN, task=task)
    assert ours.reset()[0] == theirs.reset()[0]
    ours.close()
    theirs.close()


def test_wrong_use_is_one_sentence(house: Task) -> None:
    with pytest.raises(UsageError, match="not both"):
        gymnasium.make(spec.SIMPLE, task=house, seed=3)
    with pytest.raises(UsageError, match="not of cornerman/TextWorldCoin"):
        gymnasium.make(spec.COIN, task=house)
    with pytest.raises(UsageError, match="did you mean 'level'"):
        gymnasium.make(spec.COIN, levle=3)
