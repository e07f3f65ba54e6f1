"""The frozen suites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.suites import Suite
from cornerman_envs.textworld import spec, suites
from cornerman_envs.textworld.env import TextWorldEnv

PANELS = {
    "textworld-smoke": (5, "e1e20814511de3ca92cb1f3fc017fbb41371035b75ac75f9316229993b292027"),
    "textworld-dev": (50, "cbc8b38654a3d187dfd53777cb3495a2b36e1e2a222c1fbba553aaa0ef8ece28"),
}


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_are_frozen(name: str, plugins: Plugins) -> None:
    suite: Suite = plugins.registry.get("suite", name).load()()
    number, panel = PANELS[name]
    assert (suite.name, len(suite.tasks), suite.panel) == (name, number, panel)
    assert len({task.id for task in suite.tasks}) == number
    assert {task.split for task in suite.tasks} == {"dev"}
    assert {task.env for task in suite.tasks} == set(spec.FAMILIES)
    assert all(task.data is not None and len(task.data) == 64 for task in suite.tasks)


def test_dev_holds_every_family() -> None:
    counts = Counter(task.family for task in suites.dev().tasks)
    assert set(counts) == {family for families in spec.FAMILIES.values() for family in families}
    assert set(counts.values()) == {2, 3}


def test_the_rules_leave_room_for_twice_the_plan(task: Task, play: Callable[[Task], TextWorldEnv]) -> None:
    env = play(task)
    env.reset()
    plan = env.gold()
    assert plan is not None
    assert 3 <= len(plan) <= suites.smoke().rules.max_turns // 2


def test_the_catalogue_knows_the_environments(plugins: Plugins) -> None:
    for env in spec.FAMILIES:
        entry = plugins.registry.get("environment", env)
        assert (entry.extra, entry.needs) == ("textworld", ("textworld",))
        loaded = entry.load()
        assert loaded.id == env
        assert loaded.tasks("dev")[0].env == env
        assert set(loaded.versions()) == {"textworld", "jericho"}
