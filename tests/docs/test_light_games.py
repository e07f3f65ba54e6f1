"""What the page of environments says of the small games, against their code."""

from __future__ import annotations

import importlib

import pytest

from tests.docs.pages import coded, read, rows, section
from tests.envs.light.games import NAMES, REGISTRY, make

PAGE = read("environments.md")
TABLE = {row[0].strip("`"): row for row in rows(section(PAGE, "What there is"))}


SUITES = [entry.name for entry in REGISTRY.entries("suite") if entry.name.split("-")[0] in NAMES]


@pytest.mark.parametrize("name", SUITES)
def test_the_longest_gold_plan_of_a_suite(name: str) -> None:
    longest = 0
    for task in REGISTRY.get("suite", name).load()().tasks:
        env = make(task)
        env.reset(seed=task.seed)
        longest = max(longest, len(env.gold() or []))
    assert TABLE[name][4] == str(longest)


@pytest.mark.parametrize("title", ["TextCraft", "FrozenLake", "Sokoban", "Minesweeper", "Hidden"])
def test_settings_are_named(title: str) -> None:
    Settings = importlib.import_module(f"cornerman_envs.{title.lower()}.env").Settings
    table = rows(section(PAGE, title))
    assert set.union(*(coded(row[0]) for row in table)) == set(Settings.__struct_fields__)


def test_the_number_of_goals_in_the_test_suite() -> None:
    tasks = REGISTRY.get("suite", "textcraft-test").load()().tasks
    goals = {make(task).reset(seed=task.seed)[1]["goal"] for task in tasks}
    assert f"{len(tasks)} test tasks have {len(goals)} different goals" in " ".join(section(PAGE, "TextCraft").split())
