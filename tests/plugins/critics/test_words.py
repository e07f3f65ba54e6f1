"""The critics that speak freely: advice, reflect, request-answer."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.support.countdown import task
from tests.support.play import catalogue, method, play
from tests.support.scripted_model import ScriptedModel

from cornerman import Request, hookimpl
from cornerman.engine.view import View
from cornerman.records import Episode
from cornerman.suites import Rules


class Waits:
    @hookimpl
    def act(self, view: View) -> str:
        return "wait"


class Asks:
    @hookimpl
    def act(self, view: View) -> str | Request:
        return Request(question="how far\nis it?") if view.turn == 0 else "wait"


def consult(model: ScriptedModel, turns: int = 3, actor: str = "waits", start: int = 5, **critic: Any) -> Episode:
    table = {k: critic.pop(k) for k in ("protocol",) if k in critic}
    episode = play(
        catalogue(actor_waits=Waits, actor_asks=Asks),
        task(start),
        rules=Rules(max_turns=turns),
        model=lambda uri: model,
        actor=actor,
        critic=[{"model": "scripted", **critic}],
        **table,
    )
    assert episode.error is None
    return episode


def test_advice_follows_each_turn_that_another_one_follows() -> None:
    model = ScriptedModel(["  go down \n", "now!"])
    episode = consult(model, use="advice", max_tokens=7)
    turns = episode.attempts[0].turns
    assert [[c.text for c in t.critiques] for t in turns] == [["go down"], ["now!"], []]
    first, second = model.asked
    assert first.sampling is not None
    assert first.sampling.max_tokens == 7
    assert "Now the agent can: down 1, down 2, wait.\n\nIn one or two" in first.last
    assert "[Advice: go down]\nTurn 2: `wait`" in second.last
    assert [(c.role, c.purpose, c.plugin) for c in episode.calls] == [("critic", "advice", "advice")] * 2


def test_advice_by_trigger_and_without_the_list() -> None:
    model = ScriptedModel(lambda messages: "go")
    consult(model, 6, use="advice", trigger={"every": 2}, list_commands=False)
    assert len(model.asked) == 2
    assert "agent can:" not in model.asked[0].last


def test_no_advice_after_the_last_turn_of_the_world() -> None:
    model = ScriptedModel(lambda messages: "go")
    episode = consult(model, actor="gold", start=2, use="advice")
    assert episode.success
    assert model.asked == []


def test_an_empty_advice_is_recorded_and_not_delivered() -> None:
    episode = consult(ScriptedModel(lambda messages: " "), 2, use="advice")
    [critique] = episode.attempts[0].turns[0].critiques
    assert (critique.suppressed, critique.call) == ("empty", 0)
    assert episode.attempts[0].context == ()


def test_an_answer_to_a_request() -> None:
    model = ScriptedModel(["five steps"])
    episode = consult(model, 2, actor="asks", use="request-answer")
    [critique] = episode.attempts[0].turns[0].critiques
    assert (critique.text, critique.moment, critique.delivered) == ("five steps", "answer_request", True)
    assert "\n\nThe agent asks: how far is it?\nAnswer it" in model.asked[0].last
    [item] = episode.attempts[0].context
    assert (item.text, item.at) == ("five steps", 1)


def test_a_reflection_is_carried_into_the_next_attempt() -> None:
    model = ScriptedModel(["you only waited", "again"])
    episode = consult(model, 2, use="reflect", protocol={"use": "retry", "attempts": 2})
    assert [[c.text for c in a.critiques] for a in episode.attempts] == [["you only waited"], ["again"]]
    assert [i.text for i in episode.attempts[1].context] == ["you only waited"]
    assert "Turn 2: `wait`\n> Time passes.\n\nIn one or two" in model.asked[0].last
    assert "[Advice: you only waited]" in model.asked[1].last
    assert "score" not in "".join(m.content for a in model.asked for m in a.messages)


def test_a_reflection_that_sees_the_score_says_so_and_is_privileged() -> None:
    registry = catalogue()
    assert not method(registry, actor="random", critic=["reflect"]).privileged
    assert method(registry, actor="random", critic=[{"use": "reflect", "score": True}]).privileged
    model = ScriptedModel(["hm"])
    consult(model, 2, use="reflect", score=True)
    assert "The task was not solved; the score is 0.00 of 1. In one" in model.asked[0].last
    consult(model := ScriptedModel(), actor="gold", use="reflect", score=True)
    assert model.asked == []


def test_the_pivot_is_a_turn_that_was_played() -> None:
    scores = {"1": math.log(0.1), "2": math.log(0.7), "3": math.log(0.2)}
    model = ScriptedModel(["turn back"] * 2, scores=scores)
    protocol = {"use": "retry", "start": "pivot"}
    episode = consult(model, use="reflect", pivot=True, protocol=protocol)
    [critique] = episode.attempts[0].critiques
    assert (critique.pivot, critique.confidence) == (1, pytest.approx(0.7))
    assert model.asked[1].texts == ("1", "2", "3")
    retry = episode.attempts[1]
    assert (retry.start.kind, retry.start.turn, retry.turns[0].index) == ("turn", 1, 1)
    assert [c.purpose for c in episode.calls] == ["reflection", "pivot"] * 2


def test_the_pivot_of_a_window_is_one_of_its_turns() -> None:
    model = ScriptedModel(["turn back"])
    episode = consult(model, 5, use="reflect", pivot=True, window=2)
    assert model.asked[1].texts == ("4", "5")
    assert episode.attempts[0].critiques[0].pivot in (3, 4)
    assert "[3 earlier turns left out.]" in model.asked[0].last
