"""`r3l`: the object that is read, the turn that is gone back to, and what is no such object."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.duet import duet, purposes
from tests.support.scripted_model import ScriptedModel

from cornerman import Verdict
from cornerman.records import Episode

PIVOT = {"use": "retry", "attempts": 2, "start": "pivot", "until": "critic_pass"}


def reflection(**fields: Any) -> str:
    whole = {
        "summary": "walked left",
        "root_causes": ["wrong way", "did not look"],
        "outcome": "failure",
        "principle": "Walk right first.",
        "retry_from_turn": 2,
    }
    return json.dumps(whole | fields)


def looked_back(reply: str, **options: Any) -> tuple[Episode, ScriptedModel]:
    actor = ScriptedModel(lambda messages: "Action: left")
    critic = ScriptedModel(lambda messages: reply)
    return duet({"use": "r3l", **options}, actor, critic, turns=3, **PIVOT), actor


def test_the_retry_resumes_before_the_pivotal_turn_with_the_principle() -> None:
    episode, actor = looked_back(reflection())
    first, second = episode.attempts
    [said] = first.critiques
    assert (said.verdict, said.pivot, said.text) == (Verdict.REVISE, 1, "Walk right first.")
    assert said.data["root_causes"] == ["wrong way", "did not look"]
    assert (second.start.kind, second.start.attempt, second.start.turn) == ("turn", 0, 1)
    assert [t.index for t in second.turns] == [1, 2]
    assert [x.action for x in second.log] == ["left"] * 3
    assert "Walk right first." in actor.asked[3].messages[0].content


def test_a_clean_success_is_not_tried_again() -> None:
    episode, _ = looked_back(reflection(outcome="success", principle=None, retry_from_turn=None))
    assert [c.verdict for a in episode.attempts for c in a.critiques] == [Verdict.PASS]


def test_no_turn_means_from_the_start() -> None:
    episode, _ = looked_back(reflection(retry_from_turn=None))
    assert episode.attempts[1].start.kind == "reset"
    assert [i.text for i in episode.attempts[1].context] == ["Walk right first."]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "failure",
        "{}",
        "[1]",
        reflection(outcome="a failure"),
        reflection(retry_from_turn=9),
        reflection(retry_from_turn=0),
        reflection(root_causes="wrong way"),
        "Here it is: " + reflection(),
        "\ud800",
        '{"outcome": "success"' + "[" * 5000,
    ],
)
def test_what_is_no_reflection_is_unparsed_and_told_to_nobody(reply: str) -> None:
    episode, actor = looked_back(reply)
    first, second = episode.attempts
    assert first.critiques[0].verdict is Verdict.UNPARSED
    assert (second.context, second.start.kind) == ((), "reset")
    assert not any("Advice" in m.content for a in actor.asked for m in a.messages)


def scores(outcome: str) -> Any:
    def score(messages: Any, text: str) -> float:
        return -1.0 if text in (outcome, "3") else -5.0

    return score


def test_scored_labels_need_no_format() -> None:
    actor = ScriptedModel(lambda messages: "Action: left")
    critic = ScriptedModel(lambda messages: "Look before you walk.", scores=scores("failure"))
    episode = duet({"use": "r3l", "read": "scored"}, actor, critic, turns=3, **PIVOT)
    [said] = episode.attempts[0].critiques
    assert (said.verdict, said.pivot, said.text) == (Verdict.REVISE, 2, "Look before you walk.")
    assert said.confidence is not None
    assert said.confidence > 1 / 3
    assert [p for r, p in purposes(episode) if r == "critic"][:3] == ["outcome", "pivot", "principle"]
    critic = ScriptedModel(lambda messages: pytest.fail("asked"), scores=scores("success"))
    episode = duet({"use": "r3l", "read": "scored"}, actor, critic, turns=3, **PIVOT)
    assert len(episode.attempts) == 1
