"""`cast`: tool calls checked against the domain's policy before they are executed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.support.duet import duet, turns_of
from tests.support.scripted_model import ScriptedModel

from cornerman import Verdict
from cornerman.records import Turn

pytest.importorskip("bm25s", reason="the questions need the extra search")

ASKED = '{"name": "search", "arguments": {"query": "Liechtenstein"}}'
GUESSED = '{"name": "answer", "arguments": {"text": "EUR"}}'
VALID = "Rationale: it looks first\nVerdict: Valid\nRevision: none"
INVALID = "Rationale: nothing was\nlooked up yet\nVerdict: invalid\nRevision: search first"


def gated(said: Any, actor: Any, turns: int = 1, **more: Any) -> tuple[tuple[Turn, ...], ScriptedModel, ScriptedModel]:
    models = ScriptedModel(actor), ScriptedModel(said)
    critic = {"use": "cast", "deliver": "decision"} | more.pop("critic", {})
    return turns_of(duet(critic, *models, suite="searchqa-smoke", turns=turns, **more)), *models


def test_the_critic_sees_the_policy_the_call_and_the_schema_of_its_tool() -> None:
    [turn], _, critic = gated([VALID], [ASKED])
    system, question = critic.asked[0].messages
    assert "\n\nThe agent must keep these rules:\nSearch the documents" in system.content
    assert '"description": "words to look for"' in question.content
    assert '"the answer alone' not in question.content
    assert f"Other tools: answer\nThe agent is about to call: `{ASKED}`" in question.content
    assert (turn.critiques[0].verdict, turn.executed) == (Verdict.PASS, ASKED)


def test_an_invalid_call_is_revised_before_it_is_executed() -> None:
    [turn], actor, _ = gated([INVALID], [GUESSED, ASKED])
    [critique] = turn.critiques
    assert critique.text == f"`{GUESSED}` is not a valid call here. nothing was looked up yet search first"
    assert (critique.verdict, turn.executed) == (Verdict.REVISE, ASKED)
    assert critique.text in actor.asked[1].last


def test_a_blocked_call_that_stays_is_not_executed() -> None:
    block = {"critic": {"on_invalid": "block"}, "on_block": "noop"}
    turns, *_ = gated([INVALID, INVALID], [GUESSED, GUESSED, GUESSED, GUESSED], 2, **block)
    assert [t.executed for t in turns] == [None, None]
    [turn], *_ = gated([INVALID], [GUESSED, GUESSED])
    assert turn.executed == GUESSED


def test_a_message_is_no_tool_call_and_is_not_looked_at() -> None:
    [turn], _, critic = gated([], ["Action: what do you mean?"])
    assert (turn.critiques, critic.asked, turn.executed) == ((), [], "what do you mean?")


def test_an_environment_without_tools_has_no_calls() -> None:
    critic = ScriptedModel([])
    [turn] = turns_of(duet({"use": "cast"}, ScriptedModel([GUESSED]), critic))
    assert (turn.critiques, critic.asked) == ((), [])


@pytest.mark.parametrize("noise", ["", "invalid", INVALID + "\nVerdict: valid", INVALID.replace("invalid", "unsure")])
def test_a_verdict_that_cannot_be_read_does_not_steer(noise: str) -> None:
    [turn], *_ = gated([noise], [GUESSED])
    assert (turn.critiques[0].verdict, turn.executed) == (Verdict.UNPARSED, GUESSED)


def test_several_calls_of_one_action_and_names_that_are_none() -> None:
    odd = f'[{ASKED}, {{"name": ["answer"]}}, 7]'
    [turn], _, critic = gated([VALID], [odd])
    assert turn.executed == odd
    assert "Other tools: answer" in critic.asked[0].last


def test_verdicts_by_probability() -> None:
    critic = ScriptedModel(scores={"valid": math.log(0.3), "invalid": math.log(0.7)})
    settings = {"use": "cast", "read": "scored"}
    [turn] = turns_of(duet(settings, ScriptedModel([GUESSED, ASKED]), critic, suite="searchqa-smoke"))
    assert (turn.critiques[0].score, turn.executed) == (pytest.approx(0.3), ASKED)
    assert turn.critiques[0].text == f"`{GUESSED}` is not a valid call here."
