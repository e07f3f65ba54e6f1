"""The frozen suites and the splits."""

from __future__ import annotations

from collections import Counter

import pytest

from cornerman.errors import UsageError
from cornerman.plugins import Plugins
from cornerman.suites import Suite
from cornerman_envs.bfcl import spec
from cornerman_envs.bfcl.env import BFCLEnv
from cornerman_envs.bfcl.suites import RULES
from cornerman_envs.bfcl.wheel import CATEGORIES

PANELS = {
    "bfcl-smoke": (5, "73316412922b4a26061a08f16b86bd1f335c2b32dc6a5dc2010069a6e66bbdc4"),
    "bfcl-dev": (48, "96710033d8d4ee63ecb2535e8caab18b78272febd9ecc44967dcac6fb26be7fa"),
    "bfcl-full": (800, "475c106cde6baf5f8df790fcdd296746547eb4c9ea709da6305148c2709541c9"),
}


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_are_frozen(name: str, plugins: Plugins) -> None:
    suite: Suite = plugins.registry.get("suite", name).load()()
    assert (suite.name, len(suite.tasks), suite.panel) == (name, *PANELS[name])
    assert len({task.id for task in suite.tasks}) == len(suite.tasks)
    assert {task.env for task in suite.tasks} == {spec.ID}
    assert {task.family for task in suite.tasks} == set(CATEGORIES)


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_categories_are_whole(category: str, plugins: Plugins) -> None:
    name = f"bfcl-{category.replace('_', '-')}"
    suite: Suite = plugins.registry.get("suite", name).load()()
    assert suite.name == name
    assert [task.id for task in suite.tasks] == [f"{name}-{i}" for i in range(200)]
    assert {task.family for task in suite.tasks} == {category}


def test_no_conversation_is_in_two_splits() -> None:
    numbers, sizes = [], []
    for split in spec.SPLITS:
        found = spec.tasks(split)
        sizes.append(len(found))
        assert {task.split for task in found} == {split}
        assert set(Counter(task.family for task in found).values()) == {len(found) // 4}
        numbers.append({task.id.rpartition("-")[2] for task in found})
    assert sizes == [400, 48, 352]
    assert [len(n) for n in numbers] == [100, 12, 88]
    assert len(set.union(*numbers)) == 200
    with pytest.raises(UsageError, match="did you mean 'test'"):
        spec.tasks("tset")


def test_the_rules_never_end_what_bfcl_goes_on_with(plugins: Plugins) -> None:
    full: Suite = plugins.registry.get("suite", "bfcl-full").load()()
    for task in full.tasks[::9]:
        env = BFCLEnv(task)
        env.reset()
        assert 21 * env.facts()["turns"] <= RULES.max_turns
        assert len(env.gold() or []) * 2 <= RULES.max_turns


def test_the_catalogue_knows_the_environment(plugins: Plugins) -> None:
    entry = plugins.registry.get("environment", spec.ID)
    assert (entry.extra, entry.needs, entry.assets) == ("tools", ("mpmath",), ("bfcl-eval",))
    loaded = entry.load()
    assert (loaded.id, loaded.gold, loaded.light, loaded.assets) == (spec.ID, "script", False, ("bfcl-eval",))
    assert set(loaded.versions()) == {"mpmath"}
