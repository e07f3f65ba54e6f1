"""`erl` and `erl-memory`: instructions after a failed first attempt, and which of them are kept."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.support.duet import duet
from tests.support.play import catalogue, play
from tests.support.scripted_model import ScriptedModel

from cornerman.engine.context import MemoryItem
from cornerman.records import Attempt, Episode
from cornerman_plugins.critics.between_attempts.erl import ERL
from cornerman_plugins.memories.erl import ERLMemory

RETRY = {"use": "retry", "attempts": 2, "until": "success"}


def reflected(reply: str) -> tuple[Episode, ScriptedModel, ScriptedModel]:
    critic = ScriptedModel(lambda messages: reply)
    actor = ScriptedModel(lambda messages: "Action: left")
    return duet({"use": "erl"}, actor, critic, turns=1, **RETRY), actor, critic


def test_the_second_attempt_is_played_with_the_instructions() -> None:
    episode, actor, critic = reflected("Thinking.\n<prompt>Walk right, then down.</prompt> Done.")
    first, second = episode.attempts
    assert first.critiques[0].text == "Walk right, then down."
    assert [i.text for i in second.context] == ["Walk right, then down."]
    assert "Walk right" in actor.asked[1].messages[0].content
    assert "Walk right" not in actor.asked[0].messages[0].content
    assert not second.critiques
    assert len(critic.asked) == 1
    assert "The score is 0.00 of 1." in critic.asked[0].last


@pytest.mark.parametrize("reply", ["no tags", "<prompt>", "</prompt>a<prompt>", "<prompt>a</prompt><prompt>b</prompt>"])
def test_what_stands_in_no_tags_is_no_instruction(reply: str) -> None:
    episode, *_ = reflected(reply)
    assert [a.context for a in episode.attempts] == [(), ()]


def test_a_solved_attempt_is_left_as_it_is() -> None:
    critic = ScriptedModel(lambda messages: pytest.fail("asked"))
    registry = catalogue()
    suite = registry.get("suite", "frozenlake-smoke").load()()
    episode = play(
        registry,
        suite.tasks[0],
        rules=suite.rules,
        model=lambda uri: critic,
        actor="gold",
        critic=[{"use": "erl", "model": "c"}],
        protocol=RETRY,
    )
    assert [a.success for a in episode.attempts] == [True]


class Past:
    """A view of a memory with one entry."""

    family = "lake"

    def __init__(self, *items: MemoryItem) -> None:
        self.memory = items

    def rng(self) -> Any:
        import random

        return random.Random(1)


def after(score: float, *items: MemoryItem) -> list[tuple[str, str, str]]:
    """What the memory does with an episode whose second attempt scored this."""
    episode, *_ = reflected("<prompt>Walk right.</prompt>")
    first, second = episode.attempts
    attempts: tuple[Attempt, ...] = (first, msgspec.structs.replace(second, score=score))
    ops = ERLMemory().on_task_end(Past(*items), msgspec.structs.replace(episode, attempts=attempts))  # type: ignore[arg-type]
    return [(o.op, o.text, o.family) for o in ops]


def test_only_what_helped_is_kept_and_takes_the_place_of_the_old() -> None:
    assert after(0.0) == []
    assert after(0.5) == [("add", "Walk right.", "lake")]
    assert after(0.5, MemoryItem("1", "old", "lake")) == [("update", "Walk right.", "lake")]
    assert after(0.5, MemoryItem("1", "old", "other")) == [("add", "Walk right.", "lake")]


def test_the_critic_reads_the_memory() -> None:
    critic = ScriptedModel(lambda messages: "<prompt>Go on.</prompt>")
    actor = ScriptedModel(lambda messages: "Action: left")
    from cornerman.engine import episode as engine

    original = engine.Scope

    def remembering(**fields: Any) -> Any:
        return original(**fields | {"memory": (MemoryItem("1", "Walk\nright.", "x"),)})

    engine.Scope = remembering  # type: ignore[assignment, misc]
    try:
        duet({"use": "erl"}, actor, critic, turns=1, **RETRY)
    finally:
        engine.Scope = original  # type: ignore[misc]
    assert "Instructions that helped before: Walk right." in critic.asked[0].last
    assert not any("Walk right." in a.messages[0].content for a in actor.asked[:1])


@pytest.mark.parametrize("threshold", [0.0, 1.1])
def test_a_threshold_is_a_score(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        ERL(threshold=threshold)
