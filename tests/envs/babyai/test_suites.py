"""The frozen suites."""

from __future__ import annotations

from collections import Counter

import pytest

from cornerman.plugins import Plugins
from cornerman.suites import Suite
from cornerman_envs.babyai import suites
from cornerman_envs.babyai.levels import LEVELS

from .freeze import SUITES, rows

PANELS = {
    "babyai-smoke": (5, "abd9b2cd56ff2444d6995229c0f22809b8f457da08091931b3c930e691b10bc1"),
    "babyai-dev": (50, "6e670b34b5329667b5a67f768adfa7c368f202d58db2bb50539fe3947df7d9a2"),
    "babyai-full": (276, "1cce9bfa50602560ac56ee9ac3d9e604ac67a9b8a70a6ebe6c6f79cbf7ee390b"),
}


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_are_frozen(name: str, plugins: Plugins) -> None:
    suite: Suite = plugins.registry.get("suite", name).load()()
    assert (suite.name, len(suite.tasks), suite.panel) == (name, *PANELS[name])
    assert {task.split for task in suite.tasks} == {SUITES[name][0]}
    assert len({task.data for task in suite.tasks}) == len(suite.tasks)


def test_full_holds_every_level_alike_and_shares_no_world_with_dev() -> None:
    assert Counter(task.family for task in suites.full().tasks) == {f"babyai-{level}": 3 for level in LEVELS}
    assert not {task.data for task in suites.full().tasks} & {task.data for task in suites.dev().tasks}


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_were_chosen_by_rule(name: str) -> None:
    """The first worlds that gold wins, made anew: some levels of each suite."""
    split, levels, each = SUITES[name]
    some = levels[:: max(1, len(levels) // 5)]
    suite: Suite = getattr(suites, name.removeprefix("babyai-"))()
    frozen = [(task.settings["level"], int(task.id.rsplit("-", 1)[1]), task.data) for task in suite.tasks]
    assert list(rows(split, some, each)) == [row for row in frozen if row[0] in some]
