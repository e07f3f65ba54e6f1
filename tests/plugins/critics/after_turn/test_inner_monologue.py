"""Inner Monologue: success detection and the scene by rule, on real light environments."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.duet import duet, turns_of
from tests.support.scripted_model import ScriptedModel

from cornerman.records import Turn
from cornerman_plugins.critics.after_turn.inner_monologue import things


def told(actions: list[str], suite: str, **options: Any) -> tuple[tuple[Turn, ...], ScriptedModel]:
    actor = ScriptedModel([f"Action: {a}" for a in actions])
    critic = {"use": "inner-monologue", **options}
    return turns_of(duet(critic, actor, suite=suite, turns=len(actions))), actor


def test_a_wall_is_a_failure_and_a_step_a_success() -> None:
    turns, actor = told(["left", "right", "up", "dance"], "frozenlake-smoke")
    assert [t.critiques[0].score for t in turns[:3]] == [0, 1, 0]
    assert turns[0].critiques[0].text == "`left` failed."  # the actions of a lake speak of nothing
    assert turns[3].critiques == ()  # nobody would hear it
    assert actor.asked[1].last.count("Advice: `left` failed.") == 1
    assert "Advice: `right` was done." in actor.asked[2].last


def test_what_is_not_admissible_failed() -> None:
    turns, _ = told(["fly", "right"], "frozenlake-smoke")
    assert turns[0].critiques[0].score == 0


def test_the_scene_names_what_can_be_acted_on() -> None:
    turns, _ = told(["look", "look"], "alfworldgen-smoke", show=3, tells="scene")
    [critique] = turns[0].critiques
    assert critique.text.startswith("Scene: ")
    assert " more." in critique.text
    named = critique.text.removeprefix("Scene: ").split(" and ")[0].split(", ")
    assert len(named) == 3
    assert all(any(name in action for action in turns[0].admissible_actions or ()) for name in named)


def test_one_of_both() -> None:
    turns, _ = told(["look", "look"], "alfworldgen-smoke", tells="success")
    assert turns[0].critiques[0].text in ("`look` was done.", "`look` failed.")


def test_signs_of_failure_are_an_option() -> None:
    turns, _ = told(["right", "right"], "frozenlake-smoke", signs=".|never")
    assert turns[0].critiques[0].score == 0


@pytest.mark.parametrize(
    ("actions", "found"),
    [
        (["take apple 1 from countertop 2", "go to sink 1"], ["apple 1", "countertop 2", "sink 1"]),
        (["look", "inventory", "up"], []),
        (["open door", "open door", "examine  door"], ["door"]),
    ],
)
def test_things_are_the_words_after_the_verb(actions: list[str], found: list[str]) -> None:
    assert things(actions) == found


def test_no_model_is_needed() -> None:
    turns, _ = told(["right", "left"], "frozenlake-smoke")
    assert turns[0].critiques[0].call is None
