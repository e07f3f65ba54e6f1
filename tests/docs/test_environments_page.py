"""The page of environments against the registry, the suites and their validation."""

from __future__ import annotations

import re

import pytest

from cornerman import environment
from cornerman.environment import EnvironmentSpec
from cornerman.errors import CornermanError
from cornerman.experiment import load_suite
from cornerman.plugins import load
from cornerman.suites import Rules, Suite
from tests.docs.pages import coded, read, rows, section
from tests.support.command import CommandLine

PAGE = read("environments.md")
REGISTRY = load().registry
TABLE = {row[0].strip("`"): row for row in rows(section(PAGE, "What there is"))}
SUITES = [e.name for e in REGISTRY.entries("suite")]


def test_the_table_of_environments_is_what_the_command_lists() -> None:
    listed = {name: row[1:] for name, row in TABLE.items() if name.startswith("cornerman/")}
    wanted = {e.name: [e.doc, f"`{e.extra}`" if e.extra else "–"] for e in REGISTRY.entries("environment")}
    assert listed == wanted


def test_the_table_of_suites_is_what_the_command_lists() -> None:
    for entry in REGISTRY.entries("suite"):
        assert TABLE[entry.name][1] == entry.doc
        extras = set(re.findall(r"extra `([\w-]+)`", TABLE[entry.name][5]))
        assert extras == ({entry.extra} if entry.extra else set())


@pytest.mark.parametrize("name", SUITES)
def test_tasks_and_turns_of_a_suite(name: str, alfworld_files: object) -> None:
    try:
        suite = load_suite(REGISTRY, name)
    except CornermanError as error:  # without the extra or the official games
        pytest.skip(str(error))
    assert TABLE[name][2:4] == [str(len(suite.tasks)), str(suite.rules.max_turns)]
    assert (suite.rules.show_admissible, suite.rules.invalid_action) == (True, "pass")


@pytest.mark.parametrize("name", ["alfworldgen-smoke", "alfworldgen-dev"])
def test_the_longest_gold_plan_is_that_of_the_validation(name: str, alfworld: CommandLine) -> None:
    report = alfworld("validate", name, "--json").json
    assert report["won"] == report["tasks"]
    assert TABLE[name][4] == str(report["longest"])


def test_the_contract_is_complete() -> None:
    part = coded(section(PAGE, "Writing an environment"))
    assert set(EnvironmentSpec.__struct_fields__) <= part
    keys = re.findall(r"^    (\w+)  +\S", environment.__doc__ or "", re.MULTILINE)
    assert {"goal", "success", "score"} <= set(keys) <= part
    assert {"gold()", "facts()", "snapshot()", "restore(snapshot)"} <= part


def test_a_suite_is_made_as_the_page_says() -> None:
    assert "`cornerman.suites.Suite(name=…, tasks=(…), rules=Rules(…))`" in PAGE
    assert Suite(name="x", tasks=(), rules=Rules(max_turns=1)).rules.max_turns == 1


def test_settings_of_textworld_games_are_named() -> None:
    kinds = pytest.importorskip("cornerman_envs.textworld.kinds")
    for kind in kinds.KINDS.values():
        [row] = [r for r in rows(section(PAGE, "TextWorld")) if f"TextWorld{r[0]}-" in kind.id]
        assert coded(row[1]) == set(kind.settings.__struct_fields__)


def test_numbers_of_splits_are_those_of_the_code() -> None:
    from cornerman_envs.alfworld.specs import PER_TYPE, UNSEEN_SCENES
    from cornerman_envs.alfworld.tasks import TASK_TYPES

    text = section(PAGE, "ALFWorld")
    for split, count in PER_TYPE.items():
        assert re.search(rf"`{split}` \({count * len(TASK_TYPES):,}", text), split
    assert len(UNSEEN_SCENES) == 12
    assert "twelve rooms" in text
