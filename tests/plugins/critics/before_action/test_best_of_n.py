"""Best-of-N: `gaia` and its controls choose among the actor's candidates; `dgap` tells the actor its numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.duet import REACT, duet, purposes, turns_of
from tests.support.scripted_model import ScriptedModel

from cornerman import Verdict
from cornerman.model import Generation
from cornerman.records import Message, Turn

SAMPLES = ["Action: up", "Action: right", "Action: down", "Action: right"]
FOUR = REACT | {"candidates": 4, "temperature": 0.7, "distinct": False}


def picked(critic: dict[str, Any], judge: ScriptedModel | None = None, by: Any = FOUR, **more: Any) -> Turn:
    [turn] = turns_of(duet(critic, ScriptedModel(SAMPLES), judge, by=by, **more))
    return turn


def likes(**values: float) -> Any:
    """Log-probabilities of `correct` and `wrong` by the action that is asked about."""

    def score(messages: Sequence[Message], label: str) -> float:
        right = values[messages[-1].content.rpartition("about to do: `")[2].partition("`")[0]]
        return math.log(right if label == "correct" else 1 - right)

    return score


def test_the_candidate_with_the_highest_confidence_is_executed() -> None:
    judge = ScriptedModel(scores=likes(up=0.2, right=0.3, down=0.4))
    turn = picked({"use": "gaia"}, judge)
    assert [c.score for c in turn.critiques] == pytest.approx([0.2, 0.3, 0.4, 0.3])
    assert [c.confidence for c in turn.critiques] == pytest.approx([0.8, 0.7, 0.6, 0.7])
    assert {c.verdict for c in turn.critiques} == {None}
    assert (turn.executed, turn.chosen, turn.changed_by) == ("down", 2, turn.critiques[2].id)
    assert len(judge.asked) == 3  # the action that comes again is judged once


def test_best_of_n_tells_the_actor_nothing() -> None:
    actor, judge = ScriptedModel(SAMPLES * 2), ScriptedModel(scores=likes(up=0.2, right=0.3, down=0.4))
    episode = duet({"use": "gaia"}, actor, judge, by=FOUR, turns=2)
    assert purposes(episode) == [("actor", "act"), *[("critic", "confidence")] * 3] * len(turns_of(episode))
    assert episode.attempts[0].context == ()


def test_a_written_label_has_the_probability_of_its_writing() -> None:
    judge = ScriptedModel(["wrong", " Correct\n", "correct, I think"])
    turn = picked({"use": "gaia", "read": "written"}, judge)
    sure = math.exp(-1.0)  # the scripted model writes two tokens at -0.5 each
    assert [c.score for c in turn.critiques] == [
        pytest.approx(1 - sure),
        pytest.approx(sure),
        None,
        pytest.approx(sure),
    ]
    assert turn.critiques[2].verdict is Verdict.UNPARSED
    assert turn.executed == "up"


def test_a_written_label_is_certain_where_the_model_gives_no_probability() -> None:
    class Bare(ScriptedModel):
        async def generate(self, *args: Any, **kwargs: Any) -> Generation:
            from msgspec.structs import replace

            made = await super().generate(*args, **kwargs)
            return replace(made, completions=tuple(replace(c, logprobs=None) for c in made.completions))

    turn = picked({"use": "gaia", "read": "written"}, Bare(["wrong", "correct", "wrong"]))
    assert ([c.score for c in turn.critiques], turn.executed) == ([0.0, 1.0, 0.0, 1.0], "right")


def test_candidates_that_nobody_could_judge_come_last() -> None:
    turn = picked({"use": "gaia", "read": "written"}, ScriptedModel(["?", "?", "?"]))
    assert (turn.executed, {c.verdict for c in turn.critiques}) == ("up", {Verdict.UNPARSED})


def test_the_majority_of_the_samples_is_executed() -> None:
    turn = picked({"use": "self-consistency"})
    assert [c.text for c in turn.candidates] == ["up", "right", "down", "right"]
    assert [c.score for c in turn.critiques] == [0.25, 0.5, 0.25, 0.5]
    assert (turn.executed, turn.chosen) == ("right", 1)


def test_without_repeated_samples_there_is_no_majority_and_the_first_one_stays() -> None:
    turn = picked({"use": "self-consistency"}, by=FOUR | {"distinct": True})
    assert [c.text for c in turn.candidates] == ["up", "right", "down"]
    assert turn.executed == "up"


def test_a_random_pick_is_any_candidate_and_the_same_at_the_same_place() -> None:
    drawn = Counter(str(picked({"use": "random-pick"}, trial=n).chosen) for n in range(60))
    assert set(drawn) == {"0", "1", "2", "3"}
    assert picked({"use": "random-pick"}, trial=3).chosen == picked({"use": "random-pick"}, trial=3).chosen


def test_pickers_need_no_model_and_see_nothing() -> None:
    for name in ("self-consistency", "random-pick"):
        turn = picked({"use": name})
        assert turn.calls == (0,)
        assert {c.sees for c in turn.critiques} == {()}


def test_numbers_are_told_of_all_candidates_and_stay_in_sight() -> None:
    actor = ScriptedModel(
        ["Action: up", "Action: right", "Action: right", "Action: right", "Action: right", "Action: up"]
    )
    judge = ScriptedModel(["2", " 7\n", "5"])
    by = REACT | {"candidates": 2, "temperature": 0.7}
    episode = duet({"use": "dgap"}, actor, judge, by=by, turns=2, revise_on="all")
    first = turns_of(episode)[0]
    assert [(c.score, c.text) for c in first.critiques] == [(0.2, "`up`: 2 of 10"), (0.7, "`right`: 7 of 10")]
    assert "1. up\nAdvice: `up`: 2 of 10\n\n2. right\nAdvice: `right`: 7 of 10" in actor.asked[1].last
    assert first.executed == "right"
    assert "Advice: `up`: 2 of 10\n\nAdvice: `right`: 7 of 10" in "".join(m.content for m in actor.asked[2].messages)


@pytest.mark.parametrize("noise", ["", "7 of 10", "eleven", "11", "-1", "7.5"])
def test_a_number_that_cannot_be_read_is_unparsed(noise: str) -> None:
    [turn] = turns_of(duet({"use": "dgap"}, ScriptedModel(["Action: up"]), ScriptedModel([noise])))
    assert (turn.critiques[0].verdict, turn.executed) == (Verdict.UNPARSED, "up")


def test_the_expectation_of_the_numbers() -> None:
    judge = ScriptedModel(scores={str(n): math.log(0.5 if n in (4, 10) else 1e-12) for n in range(11)})
    [turn] = turns_of(duet({"use": "dgap", "read": "scored"}, ScriptedModel(SAMPLES), judge))
    assert (turn.critiques[0].score, turn.critiques[0].text) == (pytest.approx(0.7), "`up`: 7 of 10")
