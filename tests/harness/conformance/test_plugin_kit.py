"""Each rule of the kit is broken by a plug-in of the zoo, which fails that check; sound ones pass all of them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support import zoo

from cornerman.conformance.plugin import CHECKS, check_plugin
from cornerman.conformance.report import Report
from cornerman.engine.settings import plugin_settings
from cornerman.plugins import Plugins, load
from cornerman.registry import Kind


@pytest.fixture(scope="module")
def loaded() -> Plugins:
    return load([str(Path(zoo.__file__))])


def checked(loaded: Plugins, kind: Kind, name: str, **options: Any) -> Report:
    settings = plugin_settings({"use": name, **options}, "the test")
    return asyncio.run(check_plugin(loaded.registry.get(kind, name), settings))


@pytest.mark.parametrize("name", ["sound", "reads"])
def test_a_sound_critic_fails_nothing(loaded: Plugins, name: str) -> None:
    report = checked(loaded, "critic", f"zoo-{name}")
    assert report.failed == []
    assert [c.name for c in report.checks] == list(CHECKS)


@pytest.mark.parametrize("name", zoo.CRITICS)
def test_a_broken_critic_fails_the_check_that_it_breaks(loaded: Plugins, name: str) -> None:
    report = checked(loaded, "critic", f"zoo-{name}")
    assert zoo.CRITICS[name][1] in [c.name for c in report.failed], report


def test_every_check_is_failed_by_one_of_the_zoo() -> None:
    assert {check for _, check in zoo.CRITICS.values()} == set(CHECKS)


@pytest.mark.parametrize("name", ["peeks", "set-state"])
def test_a_cause_has_one_check(loaded: Plugins, name: str) -> None:
    report = checked(loaded, "critic", f"zoo-{name}")
    assert [c.name for c in report.failed] == [zoo.CRITICS[name][1]]
    assert next(c for c in report.checks if c.name == "plays").result == "skipped"


def test_an_error_is_told_with_its_words(loaded: Plugins) -> None:
    [failed] = checked(loaded, "critic", "zoo-raises").failed
    assert "raised in review_turn (line " in failed.text
    assert " of zoo.py): KeyError: 'advice'" in failed.text


def test_an_option_without_default_can_be_given(loaded: Plugins) -> None:
    assert checked(loaded, "critic", "zoo-needs-option", words="Go on.").failed == []


def test_an_actor_that_reads_actions_in_noise_fails(loaded: Plugins) -> None:
    [failed] = checked(loaded, "actor", "zoo-parrot").failed
    assert failed.name == "unparsed"
    assert "Candidate.parsed" in failed.text


def test_an_actor_has_to_act(loaded: Plugins) -> None:
    report = checked(loaded, "actor", "zoo-no-actor")
    assert "act(view)" in next(c for c in report.failed if c.name == "hooks").text


BUILT_IN = [
    ("actor", "random"),
    ("actor", "gold"),
    ("actor", "noisy-gold"),
    ("actor", "llm-choose"),
    ("actor", "llm-react"),
    ("critic", "rules"),
    ("critic", "gold-advice"),
    ("critic", "enrich"),
    ("critic", "grader"),
    ("critic", "advice"),
    ("critic", "reflect"),
    ("critic", "request-answer"),
    ("memory", "last-reflections"),
    ("protocol", "single"),
    ("protocol", "retry"),
    ("user", "scripted-user"),
    ("user", "llm-user"),
]


@pytest.mark.parametrize(("kind", "name"), BUILT_IN)
def test_built_in_plugins_pass(loaded: Plugins, kind: Kind, name: str) -> None:
    report = checked(loaded, kind, name)
    assert report.failed == []
    assert "plays" in [c.name for c in report.checks if c.result == "passed"]


@pytest.mark.parametrize(
    ("kind", "name", "options"),
    [
        ("actor", "llm-choose", {"candidates": 3, "temperature": 1.0}),
        ("actor", "llm-react", {"candidates": 2, "temperature": 0.7, "requests": True}),
        ("critic", "grader", {"moment": "attempt"}),
        ("critic", "reflect", {"score": True, "pivot": True}),
        ("protocol", "retry", {"attempts": 3, "start": "pivot", "until": "critic_pass"}),
    ],
)
def test_built_in_plugins_pass_with_other_options(
    loaded: Plugins, kind: Kind, name: str, options: dict[str, Any]
) -> None:
    assert checked(loaded, kind, name, **options).failed == []


def test_a_user_that_breaks_a_rule_fails_the_check_that_it_breaks(loaded: Plugins) -> None:
    for name, check, words in (
        ("zoo-curious-user", "plays", "a user sees nothing but its message"),
        ("zoo-counting-user", "instance-state", "episodes changed said of the instance"),
    ):
        [failed] = [c for c in checked(loaded, "user", name).failed if c.name != "repeats"]
        assert (failed.name, words in failed.text) == (check, True), failed
