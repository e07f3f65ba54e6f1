"""Each rule of the kit is broken by an environment of the zoo, which fails that check; sound ones pass all of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import countdown, zoo
from tests.support.command import PLUGIN

from cornerman.conformance.environment import CHECKS, check_environment
from cornerman.conformance.report import Report
from cornerman.plugins import Plugins, load

ZOO = Path(zoo.__file__)


@pytest.fixture(scope="module")
def loaded() -> Plugins:
    return load([str(ZOO), str(PLUGIN)])


@pytest.fixture(autouse=True)
def reaped() -> Iterator[None]:
    yield
    zoo.LeaksProcess.reap()


def checked(loaded: Plugins, env: str, task: str | None = None) -> Report:
    return asyncio.run(check_environment(loaded, env, task))


@pytest.mark.parametrize("env", [countdown.SPEC.id, "test/Zoo-seeded-v1"])
def test_a_sound_environment_passes_every_check(loaded: Plugins, env: str) -> None:
    report = checked(loaded, env)
    assert [c for c in report.checks if c.result != "passed"] == []
    assert [c.name for c in report.checks] == ["opens", *CHECKS]


@pytest.mark.parametrize("name", zoo.ENVIRONMENTS)
def test_a_broken_environment_fails_the_check_that_it_breaks(loaded: Plugins, name: str) -> None:
    if name == "hash-order" and os.environ.get("PYTHONHASHSEED", "random") != "random":
        pytest.skip("this process and its workers share a fixed PYTHONHASHSEED")
    report = checked(loaded, f"test/Zoo-{name}-v1")
    assert zoo.ENVIRONMENTS[name][1] in [c.name for c in report.failed], report


def test_every_check_is_failed_by_one_of_the_zoo() -> None:
    assert {check for _, check, _ in zoo.ENVIRONMENTS.values()} == {"opens", *CHECKS}


def test_what_does_not_open_is_not_looked_at_further(loaded: Plugins) -> None:
    first, *rest = checked(loaded, "test/Zoo-closed-v1").checks
    assert first.result == "failed"
    assert "the door is locked" in first.text
    assert {c.result for c in rest} == {"skipped"}


def test_a_dead_worker_is_told_with_the_action_that_killed_it(loaded: Plugins) -> None:
    [failed] = checked(loaded, "test/Zoo-surrogate-v1").failed
    assert "2 of 21 hostile actions broke it (a high surrogate, a low surrogate within words)" in failed.text
    assert "died" in failed.text


def test_what_cannot_be_checked_says_why(loaded: Plugins) -> None:
    results = {c.name: c for c in checked(loaded, "test/Silent-v1").checks}
    assert results["gold"].result == results["gold-anywhere"].result == "skipped"
    assert "no gold actions" in results["gold"].text


def test_another_task_can_be_checked(loaded: Plugins) -> None:
    report = checked(loaded, "test/Zoo-seeded-v1", "from-6")
    assert (report.task, report.failed) == ("from-6", [])
