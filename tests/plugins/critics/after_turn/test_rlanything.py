"""RLAnything: m verdicts of 1 or -1 on every turn, their mean as its score, and nothing said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.duet import duet, purposes, turns_of
from tests.support.scripted_model import ScriptedModel

from cornerman import Verdict
from cornerman.errors import UsageError
from cornerman.records import Message


def said(verdict: str, why: str = "it helps") -> str:
    return f"Reasoning: {why}\nVerdict: {verdict}"


def judged(replies: Any, turns: int = 1, **options: Any) -> tuple[Any, ScriptedModel, ScriptedModel]:
    actor, judge = ScriptedModel(lambda messages: "Action: right"), ScriptedModel(replies)
    episode = duet({"use": "rlanything", **options}, actor, judge, turns=turns)
    return episode, actor, judge


def test_three_verdicts_in_one_call_make_the_turns_score() -> None:
    episode, actor, judge = judged([said("1", "a"), said("-1", "b"), said(" 1 ", "c")] * 2, 2)
    for turn in turns_of(episode):
        [critique] = turn.critiques
        assert critique.score == pytest.approx(1 / 3)
        assert critique.data == {"verdicts": [1, -1, 1], "reasonings": ["a", "b", "c"]}
        assert (critique.verdict, critique.text, critique.delivered) == (None, "", False)
    assert purposes(episode) == [("actor", "act"), ("critic", "verdict")] * 2
    assert [a.sampling.temperature for a in judge.asked if a.sampling] == [0.8, 0.8]
    assert "Was turn 2, `right`, a good step" in judge.asked[1].last
    assert not any("Advice" in m.content for a in actor.asked for m in a.messages)


def test_what_cannot_be_read_is_left_out_of_the_mean_and_nothing_readable_is_unparsed() -> None:
    episode, _, _ = judged([said("1"), said("0"), "Verdict: 1"])
    [critique] = turns_of(episode)[0].critiques
    assert (critique.score, critique.data["verdicts"]) == (1.0, [1, None, None])
    episode, _, _ = judged(["1", said("+1"), said("good: 1")])
    [critique] = turns_of(episode)[0].critiques
    assert (critique.verdict, critique.score) == (Verdict.UNPARSED, None)


def test_by_probabilities_verdicts_are_drawn() -> None:
    def score(messages: Sequence[Message], text: str) -> float:
        return math.log({"1": 0.75, "-1": 0.25}[text])

    actor, judge = ScriptedModel(lambda m: "Action: left"), ScriptedModel(scores=score)
    episode = duet({"use": "rlanything", "read": "scored", "m": 500}, actor, judge, turns=1)
    [critique] = turns_of(episode)[0].critiques
    assert set(critique.data["verdicts"]) == {1, -1}
    assert critique.score == pytest.approx(0.5, abs=0.1)
    assert [a.kind for a in judge.asked] == ["score"]


def test_its_scores_can_trigger_another_critic() -> None:
    actor, judge = ScriptedModel(lambda m: "Action: left"), ScriptedModel(lambda m: said("-1"))
    other = {"use": "inner-monologue", "trigger": {"low_score": {"below": 0, "last": 3}}}
    from tests.support.play import catalogue, play

    registry = catalogue()
    suite = registry.get("suite", "frozenlake-smoke").load()()
    episode = play(
        registry,
        suite.tasks[0],
        rules=suite.rules,
        model={"actor": actor, "critic": judge}.__getitem__,
        actor={"use": "llm-react", "model": "actor"},
        critic=[{"use": "rlanything", "model": "critic"}, other],
    )
    spoke = [t.index for t in turns_of(episode) if any(c.critic == "inner-monologue" for c in t.critiques)]
    assert spoke[0] == 3  # the turn after three bad ones


@pytest.mark.parametrize("wrong", [{"m": 0}, {"temperature": 0.0}])
def test_options_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        judged([said("1")] * 3, **wrong)
