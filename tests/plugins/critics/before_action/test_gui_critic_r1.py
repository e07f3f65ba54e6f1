"""`gui-critic-r1`: the gate before an action, the new decisions it asks for, and their cap."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.support.duet import duet, purposes, turns_of
from tests.support.scripted_model import ScriptedModel

from cornerman import Verdict
from cornerman.records import Turn

GATE = {"use": "gui-critic-r1", "deliver": "decision"}
WRONG = "<thought>a hole lies\nbelow</thought><score>Incorrect</score><suggestion>go right</suggestion>"
RIGHT = "<thought>fine</thought>\n<score> correct </score>"


def gated(said: Any, actor: Any, **more: Any) -> tuple[Turn, ScriptedModel, ScriptedModel]:
    models = ScriptedModel(actor), ScriptedModel(said)
    [turn] = turns_of(duet(GATE | more.pop("critic", {}), *models, **more))
    return turn, *models


def test_a_correct_action_is_executed_and_nothing_is_said() -> None:
    turn, actor, critic = gated([RIGHT], ["Action: right"])
    [critique] = turn.critiques
    assert (critique.verdict, critique.score, critique.suppressed) == (Verdict.PASS, 1.0, "pass")
    assert (turn.executed, len(actor.asked), len(critic.asked)) == ("right", 1, 1)


def test_an_incorrect_one_is_sent_back_with_thought_and_suggestion() -> None:
    turn, actor, _ = gated([WRONG], ["Action: down", "Action: right"])
    [critique] = turn.critiques
    assert (critique.verdict, critique.suggestion) == (Verdict.REVISE, "go right")
    assert critique.text == "`down` is not right here. a hole lies below Suggestion: go right"
    assert (turn.executed, turn.changed_by) == ("right", critique.id)
    assert actor.asked[1].messages[-2].content == "Action: down"
    assert actor.asked[1].last.startswith(f"Advice: {critique.text}\n\nAnswer again")


@pytest.mark.parametrize(("rounds", "executed"), [(1, "down"), (2, "left"), (3, "right")])
def test_new_decisions_are_checked_again_up_to_the_cap(rounds: int, executed: str) -> None:
    drafts = ["Action: up", "Action: down", "Action: left", "Action: right"]
    turn, _, critic = gated(lambda messages: WRONG, drafts, review_rounds=rounds)
    assert (turn.executed, len(turn.revisions), len(critic.asked)) == (executed, rounds, rounds)


def test_new_decisions_end_as_soon_as_one_is_correct() -> None:
    turn, _, critic = gated([WRONG, RIGHT], ["Action: down", "Action: right"], review_rounds=5)
    assert (turn.executed, len(critic.asked)) == ("right", 2)
    assert "[Advice: `down` is not right here." in critic.asked[1].last
    assert "about to do: `right`" in critic.asked[1].last


@pytest.mark.parametrize(
    "noise",
    ["", "Incorrect", "<score>Incorrect</score><score>Correct</score>", "<score>Wrong</score>", "<score>Incorrect"],
)
def test_a_verdict_that_cannot_be_read_does_not_steer(noise: str) -> None:
    turn, actor, _ = gated([noise], ["Action: down"])
    [critique] = turn.critiques
    assert (critique.verdict, critique.suppressed, turn.executed) == (Verdict.UNPARSED, "unparsed", "down")
    assert len(actor.asked) == 1


def test_only_the_score_has_to_be_there() -> None:
    turn, *_ = gated(["<score>Incorrect</score>"], ["Action: down", "Action: right"])
    assert (turn.critiques[0].text, turn.executed) == ("`down` is not right here.", "right")


def test_a_suggestion_is_never_executed_by_itself() -> None:
    said = "<score>Incorrect</score><suggestion>right</suggestion>"
    turn, *_ = gated([said], ["Action: down", "Action: down"])
    assert (turn.executed, turn.critiques[0].suggestion) == ("down", "right")


def test_verdicts_by_probability() -> None:
    scores = {"Correct": math.log(0.2), "Incorrect": math.log(0.8)}
    actor, critic = ScriptedModel(["Action: down", "Action: right"]), ScriptedModel(scores=scores)
    episode = duet(GATE | {"read": "scored"}, actor, critic)
    [turn] = turns_of(episode)
    assert (turn.critiques[0].score, turn.executed) == (pytest.approx(0.2), "right")
    assert critic.asked[0].texts == ("Correct", "Incorrect")
    assert purposes(episode) == [("actor", "act"), ("critic", "verdict"), ("actor", "revise")]
