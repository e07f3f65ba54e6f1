"""The frozen suites and the splits."""

from __future__ import annotations

import pytest

from cornerman.errors import UsageError
from cornerman.plugins import Plugins
from cornerman.suites import Suite
from cornerman_envs.tau2.spec import SETTINGS
from cornerman_envs.tau2.suites import RULES

PANELS = {
    "tau2-airline-dev": (30, "5b4300ac3172eca644173926700e4a95127e87317a4fef3a2a44aeb3ba4fb18d"),
    "tau2-airline-full": (50, "d31b237bb869cc72d8b86cb463a2cf5ecd5c49ab3062188347bfc6069d3787a4"),
    "tau2-airline-full-llm": (50, "d31b237bb869cc72d8b86cb463a2cf5ecd5c49ab3062188347bfc6069d3787a4"),
    "tau2-airline-smoke": (5, "49bdb0c39727e2dde649b9f0e407162462880ed3e294622d7c3fd39cd076bb21"),
    "tau2-retail-dev": (50, "f699673b8d7f93b25fcad361dd45cc3984d04048402c284989680886e91fd4bb"),
    "tau2-retail-full": (114, "55bc998c70189593ddfa755b6cbf307294593324d6ae650ad9a900a2632ff6a8"),
    "tau2-retail-full-llm": (114, "55bc998c70189593ddfa755b6cbf307294593324d6ae650ad9a900a2632ff6a8"),
    "tau2-retail-smoke": (5, "489be1f7debc704fc0cd1eaa693a99fee6c83c31db2cf6a7845c0016fbac9ba9"),
    "tau2-telecom-dev": (50, "7e4e11dd0c203fcc7381f8a7c1c27c4448ae5434d50b6c542f5d1d82e2b300d7"),
    "tau2-telecom-full": (114, "7f436ff2fb97d516b8227cdc340cee88238970b03db8ed1c534511d8da38bd7d"),
    "tau2-telecom-full-llm": (114, "7f436ff2fb97d516b8227cdc340cee88238970b03db8ed1c534511d8da38bd7d"),
    "tau2-telecom-smoke": (5, "6e425146a9c2f2077ea93979de339cc5f194fbc4c72cc4d17705d3d1c36d2b96"),
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
    spec = plugins.registry.get("environment", env).load()
    user = "llm-user" if name.endswith("-llm") else "scripted-user"
    assert (spec.id, suite.rules.user) == (env, user if spec.user else None)
    assert spec.user == ("solo" not in name)


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
