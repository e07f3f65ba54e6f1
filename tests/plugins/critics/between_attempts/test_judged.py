"""`critique-rl` and `ctrl`: attempts until the critic is content, and what is read as its judgement."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.duet import duet
from tests.support.scripted_model import ScriptedModel

from cornerman import Verdict
from cornerman.records import Episode

FORMS = {
    "critique-rl": ("Steps: turn 1 is wrong\nFeedback: walk right\nResult: {}", "correct", "wrong"),
    "ctrl": ("Analysis: it fell\nImprovement suggestions: walk right\nOverall judgement: {}", "Correct", "Incorrect"),
}
NAMES = pytest.mark.parametrize("name", FORMS)


def attempts(name: str, critic: ScriptedModel, most: int = 3, **options: Any) -> tuple[Episode, ScriptedModel]:
    actor = ScriptedModel(lambda messages: "Action: left")
    protocol = {"use": "retry", "attempts": most, "until": "critic_pass"}
    return duet({"use": name, **options}, actor, critic, turns=1, **protocol), actor


@NAMES
def test_it_goes_on_until_the_critic_is_content(name: str) -> None:
    form, right, wrong = FORMS[name]
    episode, actor = attempts(name, ScriptedModel([form.format(wrong), form.format(right)]))
    assert [[c.verdict for c in a.critiques] for a in episode.attempts] == [[Verdict.REVISE], [Verdict.PASS]]
    [told] = episode.attempts[1].context
    assert told.text in ("turn 1 is wrong walk right", "it fell walk right")
    assert "walk right" in actor.asked[1].messages[0].content


@NAMES
def test_rounds_are_capped(name: str) -> None:
    form, _, wrong = FORMS[name]
    episode, _ = attempts(name, ScriptedModel(lambda messages: form.format(wrong)))
    assert len(episode.attempts) == 3


@NAMES
@pytest.mark.parametrize("judgement", ["", "not wrong", "correct?", "Correct or Incorrect", "the answer is correct"])
def test_a_judgement_is_one_of_two_words(name: str, judgement: str) -> None:
    episode, actor = attempts(name, ScriptedModel(lambda messages: FORMS[name][0].format(judgement)), most=2)
    assert [c.verdict for c in episode.attempts[0].critiques] == [Verdict.UNPARSED]
    assert not any("walk right" in m.content for a in actor.asked for m in a.messages)


@NAMES
def test_case_and_space_do_not_matter(name: str) -> None:
    form, right, _ = FORMS[name]
    episode, _ = attempts(name, ScriptedModel(lambda messages: form.format(f"  {right.upper()} ").lower()))
    assert [a.critiques[0].verdict for a in episode.attempts] == [Verdict.PASS]


@NAMES
def test_the_judgement_can_be_read_from_probabilities(name: str) -> None:
    _, right, wrong = FORMS[name]
    critic = ScriptedModel(lambda messages: "walk right", scores={right: -3.0, wrong: -1.0})
    episode, _ = attempts(name, critic, most=2, read="scored")
    said = episode.attempts[0].critiques[0]
    assert (said.verdict, said.text) == (Verdict.REVISE, "walk right")
    assert said.score == pytest.approx(0.1192, abs=1e-4)  # 1 / (1 + e²)
    assert [a.kind for a in critic.asked] == ["generate", "score"] * 2
