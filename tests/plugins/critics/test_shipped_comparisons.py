"""The shipped comparisons of critics before an action and on request: every method plays, its critic speaks."""

from __future__ import annotations

import tomllib
from typing import Any

import msgspec
import pytest
from tests.support.play import catalogue, play
from tests.support.scripted_model import ScriptedModel

from cornerman.records import Episode

CALL = 'Action: {"name": "search", "arguments": {"query": "money"}}'


def played(experiment: str) -> dict[str, Episode]:
    """Three turns of every method on the experiment's first task; scores depend on every letter of the prompt."""
    registry = catalogue()
    table: dict[str, Any] = tomllib.loads(registry.get("experiment", experiment).load()())
    suite = registry.get("suite", table["suite"]).load()()
    rules = msgspec.structs.replace(suite.rules, max_turns=3)
    made = {}
    for settings in table["method"]:
        model = ScriptedModel(lambda messages: CALL.removeprefix("Action: "))
        made[settings["name"]] = play(
            registry, suite.tasks[0], rules=rules, model=lambda uri, m=model: m, models=table["models"], **settings
        )
    return made


@pytest.mark.parametrize(
    "experiment", ["cgi", "gui-critic-r1", "cast", "gaia", "self-consistency", "self-refine", "cafe"]
)
def test_every_method_plays(experiment: str) -> None:
    if experiment == "cast":
        pytest.importorskip("bm25s", reason="the questions need the extra search")
    episodes = played(experiment)
    assert {name: e.error for name, e in episodes.items()} == dict.fromkeys(episodes)
    spoke = {name: any(t.critiques for a in e.attempts for t in a.turns) for name, e in episodes.items()}
    assert not spoke.pop("alone")
    assert experiment == "cafe" or all(spoke.values()), spoke
    placebo = episodes.get("placebo")
    if placebo is not None:
        said = [c for t in placebo.attempts[0].turns for c in t.critiques]
        assert {c.wrapped for c in said} <= {"placebo"}


def test_an_actor_that_asks_is_answered() -> None:
    registry = catalogue()
    suite = registry.get("suite", "alfworldgen-smoke").load()()
    table: dict[str, Any] = tomllib.loads(registry.get("experiment", "cafe").load()())
    settings = next(m for m in table["method"] if m["name"] == "cafe")
    model = ScriptedModel(
        lambda messages: "<feedback>look</feedback>",
        scores=lambda messages, text: -0.1 if text == "request feedback" else -30.0,
    )
    rules = msgspec.structs.replace(suite.rules, max_turns=2)
    episode = play(registry, suite.tasks[0], rules=rules, model=lambda uri: model, models=table["models"], **settings)
    assert [[c.text for c in t.critiques] for t in episode.attempts[0].turns] == [["look"], ["look"]]
