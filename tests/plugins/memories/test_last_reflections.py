"""`last-reflections` over a sequence of tasks, with its operations applied as a run applies them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from tests.support import countdown
from tests.support.play import InlineSessions, catalogue, method, no_model
from tests.support.scripted_model import ScriptedModel

from cornerman import hookimpl
from cornerman.engine.context import Bench, MemoryItem
from cornerman.engine.episode import run_episode
from cornerman.engine.view import View
from cornerman.errors import UsageError
from cornerman.memory import apply
from cornerman.records import Attempt, Critique, Episode
from cornerman.suites import Rules


class Counts:
    """Reflects with the task's starting number."""

    @hookimpl
    def review_attempt(self, view: View, attempt: Attempt) -> Critique:
        return Critique(text=f"lost at {attempt.opening.split()[-1]}")


def sequence(
    starts: list[int], families: list[str] | None = None, mode: str = "sequential", **options: Any
) -> tuple[list[Episode], tuple[MemoryItem, ...], list[str]]:
    """Episodes one after another; the memory's final entries; the system message of each episode's first prompt."""
    model = ScriptedModel(scores={"wait": -1.0, "down 1": -2.0, "down 2": -2.0})
    registry = catalogue(critic_counts=Counts)
    made = method(
        registry,
        actor={"use": "llm-choose", "model": "scripted"},
        critic=options.pop("critic", ["counts"]),
        memory={"use": "last-reflections", "mode": mode, **options},
    )
    bench = Bench(sessions=InlineSessions(registry), model=lambda uri: model)
    items: tuple[MemoryItem, ...] = ()
    episodes, heads = [], []
    for i, start in enumerate(starts):
        task = msgspec.structs.replace(countdown.task(start, f"t{i}"), family=(families or ["f"] * len(starts))[i])
        first = len(model.asked)
        episode = asyncio.run(run_episode(bench, task, made, Rules(max_turns=2), 0, items))
        assert episode.error is None
        items = apply(items, episode.memory)
        episodes.append(episode)
        heads.append(model.asked[first].messages[0].content)
    return episodes, items, heads


def test_what_was_said_of_one_task_is_told_at_the_next() -> None:
    (first, second), items, heads = sequence([5, 6])
    assert [op.op for op in first.memory] == ["add"]
    assert "lost at" not in heads[0]
    assert heads[1].endswith("\n\nExperience: lost at 5.")
    used = first.memory[0].id
    assert second.attempts[0].turns[0].experience == (used,)
    assert [(op.op, op.id) for op in second.memory[:1]] == [("use", used)]
    assert [(i.text, i.uses) for i in items] == [("lost at 5.", 1), ("lost at 6.", 0)]


def test_only_the_last_k_stay() -> None:
    _, items, heads = sequence([5, 6, 7, 8, 9])
    assert [i.text for i in items] == ["lost at 7.", "lost at 8.", "lost at 9."]
    assert heads[4].count("Experience:") == 3
    _, items, heads = sequence([5, 6, 7], k=1)
    assert [i.text for i in items] == ["lost at 7."]
    assert heads[2].count("Experience:") == 1


def test_families_do_not_mix() -> None:
    _, items, heads = sequence([5, 6, 7], ["a", "b", "a"])
    assert "Experience:" not in heads[1]
    assert heads[2].endswith("Experience: lost at 5.")
    assert {i.family for i in items} == {"a", "b"}


def test_a_memory_that_may_not_write_says_nothing_of_writing() -> None:
    episodes, items, _ = sequence([5, 6], mode="read-only")
    assert [e.memory for e in episodes] == [(), ()]
    assert items == ()


def test_suppressed_reflections_are_not_kept() -> None:
    episodes, items, _ = sequence([5], critic=[{"use": "counts", "deliver": "suppress"}])
    assert episodes[0].attempts[0].critiques[0].suppressed == "suppress"
    assert items == ()


def test_ids_repeat_with_the_run_and_tell_tasks_apart() -> None:
    ids = [op.id for e in sequence([5, 5, 5])[0] for op in e.memory if op.op == "add"]
    again = [op.id for e in sequence([5, 5, 5])[0] for op in e.memory if op.op == "add"]
    assert ids == again
    assert len(set(ids)) == 3


def test_entries_of_a_round_are_cut_to_k_by_the_next_task() -> None:
    """Tasks of one round begin from one state, so that more than k entries may stand after it."""
    crowd = tuple(MemoryItem(id=f"m{i}", text=f"lesson {i}", family="f") for i in range(5))
    registry = catalogue(critic_counts=Counts)
    made = method(registry, actor="random", critic=["counts"], memory={"use": "last-reflections", "mode": "rounds"})
    bench = Bench(sessions=InlineSessions(registry), model=no_model)
    task = msgspec.structs.replace(countdown.task(50), family="f")
    episode = asyncio.run(run_episode(bench, task, made, Rules(max_turns=1), 0, crowd))
    assert [i.text for i in episode.attempts[0].context] == ["lesson 2", "lesson 3", "lesson 4"]
    assert [i.text for i in apply(crowd, episode.memory)] == ["lesson 3", "lesson 4", "lost at 50."]


def test_k_is_a_number_of_reflections() -> None:
    with pytest.raises(UsageError, match="k counts"):
        method(catalogue(), actor="random", memory={"use": "last-reflections", "k": 0})
