"""The environments under Gymnasium's `make`."""

from __future__ import annotations

import gymnasium
import pytest
from tests.envs.tau2.playing import task_of

from cornerman.errors import UsageError
from cornerman_envs.tau2 import gym
from cornerman_envs.tau2.spec import SETTINGS


def test_make_by_place_and_by_task() -> None:
    place = gymnasium.make("cornerman_envs.tau2.gym:cornerman/Tau2TelecomSolo-v1", split="train", number=3)
    task = gymnasium.make("cornerman/Tau2TelecomSolo-v1", task=SETTINGS["telecom-solo"].tasks("train")[3])
    assert place.reset()[0] == task.reset()[0]
    gym.register_gymnasium()


def test_what_is_not_there_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="has 74 tasks in 'train'"):
        gymnasium.make("cornerman/Tau2TelecomSolo-v1", number=74)
    with pytest.raises(UsageError, match="is one of cornerman/Tau2Telecom-v1"):
        gymnasium.make("cornerman/Tau2TelecomSolo-v1", task=task_of("telecom", 0))
