"""`agent-r`: the first bad action stays in the path, a thought follows, and the actor goes on from there."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.duet import duet
from tests.support.scripted_model import ScriptedModel

SPLICE = {"use": "retry", "attempts": 2, "start": "pivot", "placement": "message"}


def labels(**by_turn: str) -> Any:
    """A judge that finds the named turns so, all others good."""

    def score(messages: Any, text: str) -> float:
        asked = messages[-1].content.splitlines()[-1]
        label = next((v for k, v in by_turn.items() if f"turn {k[1:]}," in asked), "good")
        return -0.1 if text == label else -4.0

    return score


def test_the_path_is_cut_after_the_first_bad_action() -> None:
    actor = ScriptedModel(lambda messages: "Action: left")
    judge = ScriptedModel(scores=labels(t1="uncertain", t2="bad", t3="bad"))
    episode = duet({"use": "agent-r"}, actor, judge, turns=4, **SPLICE)
    first, second = episode.attempts
    [said] = first.critiques
    assert (said.pivot, said.score) == (2, 0.0)
    assert said.grades["bad"] > 0.9
    assert len(judge.asked) == 2 + 2  # two turns of each attempt: nothing is asked of those after the first bad one
    assert (second.start.attempt, second.start.turn) == (0, 2)
    assert [(i.placement, i.at) for i in second.context] == [("message", 2)]
    assert "That was a mistake: `left`" in actor.asked[4].last


def test_a_path_without_a_bad_action_is_tried_again_from_the_start() -> None:
    actor = ScriptedModel(lambda messages: "Action: left")
    judge = ScriptedModel(scores=labels())
    episode = duet({"use": "agent-r"}, actor, judge, turns=2, **SPLICE)
    assert [a.critiques for a in episode.attempts] == [(), ()]
    assert episode.attempts[1].start.kind == "reset"


@pytest.mark.parametrize(("hold", "privileged"), [("bad", True), ("all", False)])
def test_only_holding_to_bad_attempts_sees_the_score(hold: Any, privileged: bool) -> None:
    from cornerman_plugins.critics.between_attempts.agent_r import AgentR

    assert ("score" in AgentR(hold).sees) == privileged
