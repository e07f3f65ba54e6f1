"""Critic Rubrics: behaviours as labels, attempts picked, stopped and cut by them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.duet import REACT
from tests.support.play import catalogue, play
from tests.support.scripted_model import ScriptedModel

from cornerman import Candidate, Verdict
from cornerman.errors import End, UsageError
from cornerman.records import Episode, Message, Turn
from cornerman_plugins.critics.after_turn.rubrics import FAULTS, QUESTIONS, features


def turn(executed: str | None, shown: str = "", **more: Any) -> Turn:
    return Turn(index=0, executed=executed, observation=shown, **more)


def lake(actions: list[str], *, turns: int, judge: ScriptedModel | None = None, **settings: Any) -> Episode:
    """Attempts at the first lake of the smoke suite, by one script after another."""
    import msgspec

    registry = catalogue()
    suite = registry.get("suite", "frozenlake-smoke").load()()
    protocol = settings.pop("protocol", {"use": "retry", "attempts": 3, "counted": "selected"})
    return play(
        registry,
        suite.tasks[0],
        rules=msgspec.structs.replace(suite.rules, max_turns=turns),
        model={"actor": ScriptedModel([f"Action: {a}" for a in actions]), "critic": judge}.__getitem__,
        actor=REACT,
        critic=[{"use": "critic-rubrics", "model": "critic", **settings}],
        protocol=protocol,
    )


@pytest.mark.parametrize(
    ("name", "trace", "value"),
    [
        ("repeats steps", [turn("a", "x"), turn("b", "y"), turn("a", "x"), turn("a", "z")], 1 / 4),
        ("repeats at once", [turn("a"), turn("a"), turn("b")], 1 / 2),
        ("goes back and forth", [turn("l", "x"), turn("r", "y"), turn("l", "x"), turn("r", "y")], 1),
        ("changes nothing", [turn("l", "x"), turn("r", "x"), turn("l", "y")], 1 / 2),
        ("does one thing only", [turn("a"), turn("a"), turn("a")], 1),
        ("does one thing only", [turn("a"), turn("b"), turn("c")], 0),
        ("ends without news", [turn("a", "x"), turn("a", "y"), turn("a", "z"), turn("a", "x")], 1),
        ("acts inadmissibly", [turn("a", admissible=False), turn("b", admissible=True)], 1 / 2),
        ("writes what cannot be read", [turn("a", candidates=(Candidate(text="a", parsed=False),)), turn("b")], 1 / 2),
        ("thinks without acting", [turn(None, kind="think"), turn("b")], 1 / 2),
        ("stops unfinished", [turn("a", terminated=True)], 0),
        ("stops unfinished", [turn("a")], 1),
    ],
)
def test_features_are_read_from_the_trace(name: str, trace: list[Turn], value: float) -> None:
    assert features(trace)[name] == pytest.approx(value)


def test_features_stay_between_0_and_1_on_any_trace() -> None:
    for trace in ([], [turn(None)], [turn("a")], [turn("a", "x")] * 30, [turn("a"), turn(None), turn("b", "y")]):
        found = features(trace)
        assert set(found) == set(FAULTS)
        assert all(0 <= v <= 1 for v in found.values()), found


def test_of_several_attempts_the_best_behaved_counts() -> None:
    episode = lake(["left"] * 4 + ["right", "right", "down", "left"] + ["up"] * 4, turns=4)
    scores = [a.critiques[0].score or 0 for a in episode.attempts]
    assert episode.counted == scores.index(max(scores)) == 1
    assert episode.attempts[0].critiques[0].grades["does one thing only"] == 1
    assert {c.suppressed for a in episode.attempts for c in a.critiques} == {"empty"}


def test_sampling_stops_at_the_first_attempt_that_passes() -> None:
    until = {"use": "retry", "attempts": 4, "until": "critic_pass", "counted": "selected"}
    episode = lake(["left"] * 4 + ["right", "right", "down", "left"], turns=4, threshold=0.7, protocol=until)
    assert [a.critiques[0].verdict for a in episode.attempts] == [Verdict.REVISE, Verdict.PASS]
    assert episode.counted == 1


def test_an_attempt_that_looks_lost_is_cut_off() -> None:
    cut = {"stop_below": 0.7, "trigger": {"review_action": {"every": 3}}, "protocol": {"use": "single"}}
    episode = lake(["left"] * 8, turns=8, **cut)
    [attempt] = episode.attempts
    assert (attempt.end, len([t for t in attempt.turns if t.executed])) == (End.STOPPED, 3)
    [stop] = [c for t in attempt.turns for c in t.critiques]
    assert (stop.verdict, stop.score) == (Verdict.STOP, None)
    assert stop.data["success"] < 0.7
    assert len(lake(["left"] * 8, turns=8, protocol={"use": "single"}).attempts[0].turns) == 8


def test_a_model_is_asked_each_rubric_and_the_success() -> None:
    def score(messages: Sequence[Message], text: str) -> float:
        question = messages[-1].content
        yes = 0.8 if "complete the task" in question else 0.9 if "undo what" in question else 0.1
        return math.log(yes if text == "yes" else 1 - yes)

    judge = ScriptedModel(scores=score)
    episode = lake(["right"] * 2, turns=2, judge=judge, read="scored", protocol={"use": "single"})
    [critique] = episode.attempts[0].critiques
    assert critique.score == pytest.approx(0.8)
    assert critique.verdict is Verdict.PASS
    assert critique.grades == pytest.approx({name: 0.9 if name == "undone work" else 0.1 for name in QUESTIONS})
    assert len(judge.asked) == len(QUESTIONS) + 1
    assert all("Turn 2: `right`" in a.last for a in judge.asked)


@pytest.mark.parametrize("wrong", [{"threshold": 1.5}, {"stop_below": -0.1}])
def test_options_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        lake(["right"], turns=1, **wrong)
