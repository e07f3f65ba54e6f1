"""A small part of the study of a critic's worth; `python -m tests.studies.worth_study` plays all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornerman.plugins import Plugins
from tests.studies.worth_study import RIGHT, Size, find, judge, measure, play

SMALL = Size(tasks=20, moments=40)
SUITE, NOISE = "frozenlake-dev", 0.4


@pytest.fixture(scope="module")
def folder(plugins: Plugins, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of one suite."""
    return play(plugins, SUITE, NOISE, SMALL, tmp_path_factory.mktemp("study"), RIGHT)


def test_right_advice_is_worth_something_and_a_placebo_nothing(plugins: Plugins, folder: Path) -> None:
    report = measure(plugins, folder, "gold", SMALL)
    [part] = report.parts
    assert find(part, "on", "words").found.ci[0] > 0
    assert find(part, "once", "words").found.difference > 0
    for estimand in ("once", "on"):
        assert abs(find(part, estimand, "pause").found.difference) <= 0.05
    assert report.check.repeat == report.check.forks == SMALL.moments


def test_malicious_advice_costs(plugins: Plugins, folder: Path) -> None:
    [part] = measure(plugins, folder, "malicious", SMALL).parts
    assert find(part, "on", "words").found.ci[1] < 0
    assert find(part, "once", "words").found.difference < 0


@pytest.mark.parametrize("right", RIGHT)
def test_a_critic_is_measured_to_be_right_as_often_as_it_is(plugins: Plugins, folder: Path, right: float) -> None:
    found = judge(plugins, folder, f"right-{right}", SMALL)
    assert found.gold_ci is not None
    assert found.gold_ci[0] <= right <= found.gold_ci[1]
