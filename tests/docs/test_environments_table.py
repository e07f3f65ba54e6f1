"""The measured table of the page of environments against its record, and the record against the catalogue."""

from __future__ import annotations

import pytest

from cornerman.errors import CornermanError
from cornerman.experiment import load_suite
from cornerman.plugins import Plugins
from tests.docs.pages import read
from tests.envs import table

RECORD = table.recorded()


def test_the_page_shows_what_is_recorded() -> None:
    assert table.with_tables(read("environments.md"), RECORD) == read("environments.md"), (
        "run `python -m tests.envs.table render`"
    )


def test_what_is_recorded_is_in_the_catalogue(plugins: Plugins) -> None:
    for part, kind in (("environments", "environment"), ("suites", "suite")):
        for name in RECORD[part]:
            plugins.registry.get(kind, name)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(RECORD["suites"]))
def test_what_was_validated_is_what_the_suite_holds(name: str, plugins: Plugins) -> None:
    try:
        suite = load_suite(plugins.registry, name)
    except CornermanError as error:  # without the extra or the data
        pytest.skip(str(error))
    again = f"run `python -m tests.envs.table validate {name}`"
    assert (RECORD["suites"][name]["panel"], RECORD["suites"][name]["tasks"]) == (suite.panel, len(suite.tasks)), again


def test_gold_won_all_that_was_played() -> None:
    assert {name for name, suite in RECORD["suites"].items() if suite["won"] != suite["played"]} == set()


def test_memory_does_not_grow_over_300_resets() -> None:
    assert {name for name, figures in RECORD["environments"].items() if figures["growth_percent"] >= 5} == set()
