"""Pickers of attempts: by majority over the last actions, and by lot."""

from __future__ import annotations

from tests.support.duet import duet
from tests.support.scripted_model import ScriptedModel

from cornerman.records import Episode


def picked(picker: str, actions: list[str], trial: int = 0) -> Episode:
    actor = ScriptedModel([f"Action: {a}" for a in actions])
    protocol = {"use": "retry", "attempts": len(actions), "counted": "selected"}
    return duet({"use": picker}, actor, turns=1, trial=trial, **protocol)


def test_the_latest_of_the_largest_group_counts() -> None:
    episode = picked("majority-attempt", ["left", "down", "right", "down", "left", "down"])
    assert [a.critiques[0].score for a in episode.attempts] == [0, 0, 0, 1, 1, 2]
    assert episode.counted == 5
    assert picked("majority-attempt", ["down", "left", "left", "right"]).counted == 2
    assert picked("majority-attempt", ["left", "down", "left", "down"]).counted == 3


def test_attempts_are_independent_of_each_other() -> None:
    assert all(not a.context for a in picked("majority-attempt", ["left", "down"]).attempts)


def test_the_lot_falls_on_every_attempt_and_again_on_the_same() -> None:
    drawn = [picked("random-attempt", ["left", "down", "right"], trial).counted for trial in range(20)]
    assert set(drawn) == {0, 1, 2}
    assert drawn == [picked("random-attempt", ["left", "down", "right"], trial).counted for trial in range(20)]
