"""The frozen suites and the splits."""

from __future__ import annotations

import pytest

from cornerman.errors import UsageError
from cornerman.plugins import Plugins
from cornerman.suites import Suite
from cornerman_envs.tau2.spec import SETTINGS
from cornerman_envs.tau2.suites import RULES

PANELS = {
    "tau2-telecom-solo-full": (114, "234a464e342e15aec264186dcdfbbd22c6d4c0684adfffc4b27e116861389c3c"),
    "tau2-telecom-solo-dev": (50, "f2e0065a37687df93171c7ddc898cc30c7b0bedd55850810b6eb407224783996"),
    "tau2-telecom-solo-smoke": (5, "9237880e94aba9d2670341aeb07a6eba718adf0f0c6e7c66a3d1d60643bfc7bf"),
}
SIZES = {"telecom-solo": (74, 40), "telecom": (74, 40), "retail": (74, 40), "airline": (30, 20)}


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_are_frozen(name: str, plugins: Plugins) -> None:
    suite: Suite = plugins.registry.get("suite", name).load()()
    assert (suite.name, len(suite.tasks), suite.panel) == (name, *PANELS[name])
    assert len({task.id for task in suite.tasks}) == len(suite.tasks)
    [env] = {task.env for task in suite.tasks}
    assert {task.split for task in suite.tasks} == ({"train", "test"} if "-full" in name else {"train"})
    assert plugins.registry.get("environment", env).load().id == env


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_splits_are_the_wheels(name: str) -> None:
    setting = SETTINGS[name]
    train, test = setting.tasks("train"), setting.tasks("test")
    assert (len(train), len(test)) == SIZES[name]
    both = {task.settings["task"] for task in train} | {task.settings["task"] for task in test}
    assert len(both) == sum(SIZES[name])
    assert {task.id for task in setting.tasks()} == {task.id for task in train + test}
    with pytest.raises(UsageError, match="did you mean 'test'"):
        setting.tasks("tset")


def test_the_rules_leave_the_wheels_limit_room() -> None:
    assert RULES.max_turns >= 101 + RULES.requests
