"""`self-refine`: rounds of feedback and revision, until the stop word or the cap."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.support.duet import duet, purposes, turns_of
from tests.support.scripted_model import ScriptedModel

from cornerman import Verdict
from cornerman.errors import UsageError
from cornerman.records import Turn

REFINE = {"use": "self-refine", "deliver": "decision"}
ROUND = [("critic", "feedback"), ("actor", "revise")]


def refined(feedback: Any, actor: Any, **more: Any) -> tuple[Turn, ScriptedModel, ScriptedModel]:
    models = ScriptedModel(actor), ScriptedModel(feedback)
    [turn] = turns_of(duet(REFINE | more.pop("critic", {}), *models, **{"review_rounds": 4, **more}))
    return turn, *models


def test_rounds_go_on_until_the_stop_word() -> None:
    actor, critic = (
        ScriptedModel(["Action: up", "Action: down", "Action: right"]),
        ScriptedModel(["Feedback: no", "feedback: hm", "stop"]),
    )
    episode = duet(REFINE, actor, critic, review_rounds=4)
    [turn] = turns_of(episode)
    assert purposes(episode) == [("actor", "act"), *ROUND, *ROUND, ("critic", "feedback")]
    assert [c.verdict for c in turn.critiques] == [Verdict.REVISE, Verdict.REVISE, Verdict.PASS]
    assert (turn.executed, [r.text for r in turn.revisions]) == ("right", ["down", "right"])


def test_the_actor_has_the_feedback_of_all_rounds_before_it_while_it_rewrites() -> None:
    _, actor, critic = refined(
        ["Feedback: no", "Feedback: hm", "STOP"], ["Action: up", "Action: down", "Action: right"]
    )
    [first, second] = actor.asked[1:]
    assert first.last.startswith("Advice: On `up`: no\n\nAnswer again")
    assert "Advice: On `up`: no" in second.messages[1].content
    assert second.last.startswith("Advice: On `down`: hm\n\nAnswer again")
    assert "[Advice: On `up`: no]" in critic.asked[1].last
    assert "You are about to do: `down`" in critic.asked[1].last


def test_rounds_end_at_the_cap_and_the_last_revision_is_executed_unseen() -> None:
    turn, _, critic = refined(lambda messages: "Feedback: better", lambda messages: "Action: down", review_rounds=2)
    assert (len(critic.asked), len(turn.revisions), turn.executed) == (2, 2, "down")


def test_feedback_is_gone_in_the_next_turn() -> None:
    actor = ScriptedModel(["Action: right", "Action: right", "Action: right"])
    episode = duet(REFINE, actor, ScriptedModel(["Feedback: no", "STOP", "STOP"]), turns=2, review_rounds=4)
    assert len(turns_of(episode)) == 2
    assert "Advice" not in "".join(m.content for m in actor.asked[2].messages)


@pytest.mark.parametrize("text", ["STOP", "All is well.\n stop ", "well\n\nStop"])
def test_the_stop_word_is_a_line_of_its_own(text: str) -> None:
    turn, *_ = refined([text], ["Action: up"])
    assert (turn.critiques[0].verdict, turn.executed) == (Verdict.PASS, "up")


@pytest.mark.parametrize(
    "text", ["Do not STOP", "STOP it", "STOP\nor not", "STOP.", "", " \n", "Feedback:", "go right"]
)
def test_what_is_neither_feedback_nor_the_stop_word_is_unparsed(text: str) -> None:
    turn, *_ = refined([text], ["Action: up"])
    assert (turn.critiques[0].verdict, turn.executed) == (Verdict.UNPARSED, "up")


def test_feedback_stands_under_its_label() -> None:
    turn, *_ = refined(["Let me see.\nFeedback: do not STOP\nhere"], ["Action: up", "Action: right"], review_rounds=1)
    assert (turn.critiques[0].verdict, turn.executed) == (Verdict.REVISE, "right")
    assert turn.critiques[0].text == "On `up`: do not STOP\nhere"


def test_the_stop_word_is_an_option() -> None:
    turn, _, critic = refined(["fine as it is"], ["Action: up"], critic={"stop": "Fine as it is"})
    assert turn.critiques[0].verdict is Verdict.PASS
    assert "write Fine as it is and nothing else" in critic.asked[0].last
    for stop in (" ", "a\nb"):
        with pytest.raises(UsageError, match="stop"):
            refined([], [], critic={"stop": stop})


def test_stopping_by_probability_writes_feedback_only_where_it_is_needed() -> None:
    scores = {"good": math.log(0.7), "bad": math.log(0.3)}
    actor, critic = ScriptedModel(["Action: up"]), ScriptedModel(scores=scores)
    episode = duet(REFINE | {"read": "scored"}, actor, critic, review_rounds=4)
    assert purposes(episode) == [("actor", "act"), ("critic", "stop")]
    actor, critic = (
        ScriptedModel(["Action: up", "Action: right"]),
        ScriptedModel(["go right"], scores={"good": -9, "bad": -1}),
    )
    episode = duet(REFINE | {"read": "scored"}, actor, critic, review_rounds=1)
    assert purposes(episode) == [("actor", "act"), ("critic", "stop"), *ROUND]
    assert turns_of(episode)[0].critiques[0].text == "On `up`: go right"
