"""`fee`: hints beside observations, in training, at the same places for a whole group."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from tests.support.play import InlineSessions, catalogue, method, no_model

from cornerman.engine.context import Bench
from cornerman.engine.episode import run_episode
from cornerman.records import Episode
from cornerman_plugins.critics.observation.fee import FEE


def played(actor: str = "gold", phase: Any = "training", trial: int = 0, **options: Any) -> Episode:
    """Six turns of a household task."""
    registry = catalogue()
    suite = registry.get("suite", "alfworldgen-smoke").load()()
    rules = msgspec.structs.replace(suite.rules, max_turns=6)
    made = method(registry, actor=actor, critic=[{"use": "fee", **options}])
    bench = Bench(sessions=InlineSessions(registry), model=no_model, phase=phase)
    episode = asyncio.run(run_episode(bench, suite.tasks[0], made, rules, trial))
    assert episode.error is None, episode.error
    return episode


def hints(episode: Episode) -> list[str]:
    """What stands below each observation that the actor saw, the opening first."""
    [attempt] = episode.attempts
    shown = [(attempt.opening, attempt.opening_delivered), *((t.observation, t.delivered) for t in attempt.turns)]
    return ["" if delivered is None else delivered.removeprefix(given).strip() for given, delivered in shown]


def test_evaluation_is_in_the_plain_environment() -> None:
    assert not any(hints(played(phase="evaluation", p=1.0)))
    assert any(hints(played(phase="evaluation", p=1.0, always=True)))


def test_guidance_comes_first_and_names_the_next_gold_action() -> None:
    episode = played(p=1.0, guided=2)
    found = hints(episode)
    assert [h.startswith("[Hint:") for h in found[:3]] == [True, True, False]
    assert [f"`{t.executed}`" in h for t, h in zip(episode.attempts[0].turns, found[:2], strict=False)] == [True] * 2
    assert "ossible" in found[2]


def test_one_kind_can_be_had_alone() -> None:
    assert all(h.startswith("[Hint:") for h in hints(played(p=1.0, kind="guidance"))[:-1])
    assert not any(h.startswith("[Hint:") for h in hints(played(p=1.0, kind="enrichment")))


def test_a_group_is_hinted_at_the_same_places() -> None:
    places = [[bool(h) for h in hints(played("random", trial=trial))] for trial in range(3)]
    assert places[0] == places[1] == places[2]
    assert set(places[0]) == {True, False}


def test_enrichment_alone_is_not_privileged() -> None:
    assert "gold" not in FEE(kind="enrichment").sees
    assert all("gold" in FEE(kind=kind).sees for kind in ("staged", "guidance"))


@pytest.mark.parametrize(("options", "words"), [({"p": 1.5}, "probability"), ({"guided": -1}, "counts")])
def test_what_is_no_setting_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        FEE(**options)
