"""The phases of every schedule, as recipes spell them."""

from __future__ import annotations

import pytest

from cornerman.errors import UsageError
from cornerman.plugins import load
from cornerman_plugins.trainers.pieces import load_piece
from cornerman_plugins.trainers.schedules.phase import Phase

REGISTRY = load().registry


def phases(name: str, **options: object) -> list[Phase]:
    return list(load_piece(REGISTRY, "schedule", name, options)({}))


def test_synchronous_roles_learn_in_one_phase() -> None:
    assert phases("synchronous", updates=7, roles=["actor"]) == [
        Phase(stage="joint", learn=("actor",), play=("actor",), updates=7)
    ]


def test_alternating_phases_come_round_in_turn() -> None:
    agent = {"stage": "agent", "learn": ["actor"], "updates": 100}
    critic = {"stage": "critic", "learn": ["critic"], "collect": "none", "epochs": 2, "reference": "refresh"}
    found = phases("alternating", phases=[agent, critic], rounds=2)
    assert [(p.stage, p.iteration) for p in found] == [("agent", 0), ("critic", 0), ("agent", 1), ("critic", 1)]
    assert (found[3].collect, found[3].epochs, found[3].reference) == ("none", 2, "refresh")


def test_a_stage_has_the_one_before_as_its_reference() -> None:
    stages = [{"stage": name, "learn": ["critic"], "updates": 5} for name in ("one", "two", "three")]
    assert [p.reference for p in phases("staged", phases=stages)] == ["keep", "refresh", "refresh"]


def test_offline_iterations_play_once_and_start_anew() -> None:
    found = phases("offline", iterations=3, epochs=2)
    assert [(p.collect, p.weights, p.epochs, p.iteration) for p in found] == [("once", "base", 2, i) for i in range(3)]
    assert {p.weights for p in phases("offline", iterations=2, restart=False)} == {"continue"}


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("alternating", {"phases": [{"stage": "a", "lern": ["actor"]}], "rounds": 1}, "did you mean 'learn'"),
        ("staged", {"phases": [{"stage": "a", "learn": ["b"], "collect": "evry"}]}, "unknown value 'evry'"),
        ("alternating", {"phases": [], "rounds": 1}, "needs phases"),
        ("synchronous", {}, "needs the option 'updates'"),
        ("synchronous", {"updates": "many"}, "option 'updates' of 'synchronous'"),
    ],
)
def test_what_is_wrong_with_a_schedule_is_one_sentence(name: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        phases(name, **options)
