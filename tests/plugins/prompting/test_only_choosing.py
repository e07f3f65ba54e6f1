"""Models that give no log-probabilities of given texts but can be kept to them, as most servers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.play import catalogue, play
from tests.support.scripted_model import ScriptedModel

from cornerman.errors import End
from cornerman.records import Episode
from cornerman.suites import Rules
from cornerman_plugins.prompting.scoring import counted


def choosing(replies: Sequence[str]) -> ScriptedModel:
    """A model that says these, kept to what it is given or not."""
    model = ScriptedModel(replies)
    model.capabilities = frozenset({"generate", "choices"})
    return model


def played(model: ScriptedModel, **table: Any) -> Episode:
    """One turn of the countdown."""
    return play(catalogue(), rules=Rules(max_turns=1), model=lambda uri: model, **table)


def test_the_actor_does_what_the_model_chooses() -> None:
    model = choosing(["down 2"])
    episode = played(model, actor={"use": "llm-choose", "model": "scripted", "candidates": 3})
    [turn] = episode.attempts[0].turns
    [candidate] = turn.candidates
    assert turn.executed == candidate.text == "down 2"
    assert (candidate.logprob, candidate.entropy) == (None, None)
    [asked] = model.asked
    assert asked.sampling is not None
    assert (asked.sampling.choices, asked.sampling.temperature) == (("down 1", "down 2", "wait"), 0.0)


@pytest.mark.parametrize(("distinct", "offered"), [(True, ["wait", "down 1"]), (False, ["wait", "wait", "down 1"])])
def test_above_temperature_0_its_samples_are_the_candidates(distinct: bool, offered: list[str]) -> None:
    model = choosing(["wait", "wait", "down 1"])
    actor = {"use": "llm-choose", "model": "scripted", "candidates": 3, "temperature": 0.7, "distinct": distinct}
    [turn] = played(model, actor=actor).attempts[0].turns
    assert [c.text for c in turn.candidates] == offered
    assert model.asked[0].sampling is not None
    assert model.asked[0].sampling.temperature == 0.7


def test_a_label_that_it_says_is_certain() -> None:
    episode = played(choosing(["bad"]), actor="random", critic=[{"use": "grader", "model": "scripted"}])
    [critique] = episode.attempts[0].turns[0].critiques
    assert critique.grades == {"good": 0.0, "bad": 1.0}


def test_a_server_that_is_not_kept_to_the_texts_is_an_error_of_the_model() -> None:
    episode = played(choosing(["Hello"]), actor={"use": "llm-choose", "model": "scripted"})
    assert episode.end is End.MODEL_ERROR
    assert episode.error == "the model was to choose among 3 texts and said 'Hello'"


def test_what_was_said_more_often_is_more_probable() -> None:
    found = counted(("a", "b", "c"), ["b", "a", "b", "b"], call=7)
    assert found.best() == [1]
    assert found.probabilities == [0.25, 0.75, 0.0]
    assert found.entropy == pytest.approx(-0.25 * math.log(0.25) - 0.75 * math.log(0.75))
