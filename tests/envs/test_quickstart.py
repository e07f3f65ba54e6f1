"""The suites of the first run: what is in them, that they stay as they are, and which of them the experiment plays."""

from __future__ import annotations

import asyncio
import importlib.util
from collections import Counter

import pytest

from cornerman import experiment
from cornerman.assets import ASSETS, assets_status, wheels_folder
from cornerman.experiment import load_suite
from cornerman.plugins import Plugins
from cornerman.validate import validate
from cornerman.workers.pool import Pool
from cornerman_plugins import experiments

TOOLS = {"cornerman/SearchQA-v1", "cornerman/BFCLMultiTurn-v1"}
PANELS = {
    "quickstart": (12, "693b4964bbe46788b7e9f1ce85489b6bfcaf06e7d6e7a41ef04d70347b057561"),
    "quickstart-textworld": (15, "01741c97702dcec4bbf9257dbe94c16693831c46884027bfac3862572ac440c1"),
}


def names(plugins: Plugins) -> list[str]:
    """The suites that can be played here."""
    return [name for name in PANELS if not plugins.registry.get("suite", name).missing]


@pytest.fixture(autouse=True)
def _needs_what_the_suites_play_on(plugins: Plugins) -> None:
    """Extras and fetched assets; nothing is downloaded."""
    entry = plugins.registry.get("suite", "quickstart")
    if entry.missing:
        pytest.skip(f"needs {', '.join(entry.missing)}: pip install 'cornerman[quickstart]'")
    present = {s.asset.name for s in assets_status() if s.present or (wheels_folder() / s.asset.wheel).is_file()}
    if absent := {*entry.assets} - present:
        pytest.skip(f"the asset {min(absent)} is not here: run `cornerman data {min(absent)}`")
    assert {*entry.assets} <= {*ASSETS}


def test_the_panels_are_frozen(plugins: Plugins) -> None:
    for name in names(plugins):
        suite = load_suite(plugins.registry, name)
        assert (suite.name, len(suite.tasks), suite.panel) == (name, *PANELS[name])


def test_two_tasks_are_played_by_tool_calls_and_none_needs_a_compiler(plugins: Plugins) -> None:
    count = Counter(task.env for task in load_suite(plugins.registry, "quickstart").tasks)
    assert sum(count[env] for env in TOOLS) == 2
    assert not any("TextWorld" in env for env in count)


def test_textworld_games_join_the_same_tasks(plugins: Plugins) -> None:
    if "quickstart-textworld" not in names(plugins):
        pytest.skip("needs textworld: pip install 'cornerman[textworld]'")
    plain, more = (load_suite(plugins.registry, name).tasks for name in PANELS)
    assert more[: len(plain)] == plain
    assert all(task.env.startswith("cornerman/TextWorld") for task in more[len(plain) :])


@pytest.mark.parametrize("installed", [False, True])
def test_the_experiment_takes_the_suite_that_can_be_played(
    installed: bool, plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec("json") if installed else None
    monkeypatch.setattr(experiments, "find_spec", lambda name: found)
    wanted = "quickstart-textworld" if installed else "quickstart"
    assert experiment.load(plugins.registry, "quickstart").suite == wanted


def test_gold_wins_every_task_within_the_rules(plugins: Plugins) -> None:
    for name in names(plugins):
        results = asyncio.run(validate(Pool(plugins, 0), load_suite(plugins.registry, name), 1))
        assert [r.problem for r in results] == [None] * PANELS[name][0]
