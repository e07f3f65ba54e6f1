"""`cafe`: feedback as an action of the agent, and what of it is recorded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.duet import REACT, duet, purposes, turns_of
from tests.support.scripted_model import ScriptedModel

from cornerman.records import Message
from cornerman.tally import tally

ASKS = REACT | {"requests": True}
FEEDBACK = "<feedback>Turn 1 changed nothing; go right.</feedback>"


def asked(said: Any, actor: Any, turns: int = 3, **critic: Any) -> tuple[Any, ScriptedModel, ScriptedModel]:
    models = ScriptedModel(actor), ScriptedModel(said)
    return duet({"use": "cafe", **critic}, *models, by=ASKS, turns=turns), *models


def test_a_request_costs_a_decision_and_no_step_and_its_answer_stands_in_the_context() -> None:
    episode, actor, critic = asked([FEEDBACK], ["Action: left", "Ask: what now?", "Action: right"])
    turns = turns_of(episode)
    assert [t.kind for t in turns] == ["act", "request", "act"]
    assert [t.executed for t in turns] == ["left", None, "right"]
    assert purposes(episode) == [("actor", "act"), ("actor", "act"), ("critic", "feedback"), ("actor", "act")]
    [feedback] = turns[1].critiques
    assert (feedback.text, feedback.delivered, feedback.verdict) == ("Turn 1 changed nothing; go right.", True, None)
    assert feedback.data == {"in_form": True}
    assert actor.asked[2].last.startswith("Advice: Turn 1 changed nothing; go right.")
    assert len(critic.asked) == 1


def test_the_critic_sees_the_query_and_the_trajectory_and_not_what_can_be_done() -> None:
    _, _, critic = asked([FEEDBACK], ["Action: left", "Ask: what\nnow?", "Action: right"])
    [request] = critic.asked
    assert request.last.startswith("Task: reach the goal without falling into a hole\n> P is you")
    assert "\nTurn 1: `left`\n> " in request.last
    assert "The agent asks: what now?\nName the one thing" in request.last
    assert "agent can:" not in request.last
    assert request.sampling is not None
    assert request.sampling.max_tokens == 96


def test_feedback_out_of_form_is_delivered_whole_and_marked() -> None:
    episode, *_ = asked(["  go right "], ["Ask: hm?", "Action: right"], 2)
    [feedback] = turns_of(episode)[0].critiques
    assert (feedback.text, feedback.data, feedback.delivered) == ("go right", {"in_form": False}, True)


def test_empty_feedback_is_none() -> None:
    episode, *_ = asked(["<feedback> </feedback>"], ["Ask: hm?", "Action: right"], 2)
    assert turns_of(episode)[0].critiques[0].suppressed == "empty"
    assert tally(episode).answered == 0


def test_requests_are_counted_as_often_as_they_are_answered() -> None:
    episode, _, critic = asked(lambda messages: FEEDBACK, lambda messages: "Ask: and now?", 6)
    assert [t.kind for t in turns_of(episode)] == ["request"] * 6
    assert (tally(episode).answered, len(critic.asked)) == (3, 3)  # the suite's rules answer three


def choosing(ask: float) -> Any:
    """Scores by which the actor asks with probability exp(ask), and else goes right."""

    def score(messages: Sequence[Message], text: str) -> float:
        return {"request feedback": ask, "right": math.log(1 - math.exp(ask))}.get(text, -50.0)

    return score


def test_asking_is_a_command_to_choose_until_the_rules_answer_no_more() -> None:
    actor, critic = ScriptedModel(scores=choosing(-0.1)), ScriptedModel(lambda messages: FEEDBACK)
    by = {"use": "llm-choose", "model": "actor", "requests": True, "normalise": False, "candidates": 2}
    episode = duet({"use": "cafe"}, actor, critic, by=by, turns=5)
    turns = turns_of(episode)
    assert [t.kind for t in turns] == ["request"] * 3 + ["act"] * 2
    assert actor.asked[0].texts == ("up", "down", "left", "right", "request feedback")
    assert actor.asked[3].texts == ("up", "down", "left", "right")
    assert "When you do not know how to go on, answer: request feedback" in actor.asked[0].messages[0].content
    assert actor.asked[1].messages[2].content == "request feedback"
    assert "Is this going well" in critic.asked[0].last


def test_asking_that_is_not_the_best_command_is_no_candidate() -> None:
    actor = ScriptedModel(scores=choosing(-2.0))
    by = {"use": "llm-choose", "model": "actor", "requests": True, "normalise": False, "candidates": 2}
    [turn] = turns_of(duet({"use": "cafe"}, actor, by=by))
    assert ([c.text for c in turn.candidates], turn.executed) == (["right"], "right")


@pytest.mark.parametrize("reply", ["<feedback>a</feedback><feedback>b</feedback>", "<feedback>a", "a</feedback>"])
def test_broken_tags_are_out_of_form(reply: str) -> None:
    episode, *_ = asked([reply], ["Ask: hm?", "Action: right"], 2)
    assert turns_of(episode)[0].critiques[0].data == {"in_form": False}
