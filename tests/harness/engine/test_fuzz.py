"""Plug-ins that answer anything at any hook: every episode is a record that can be written and read back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.support.scripts import Ring, critic, plugin

from cornerman import AttemptSpec, Candidate, ContextItem, Critique, MemoryOp, Request, Start
from cornerman.errors import End
from cornerman.records import Episode
from cornerman.suites import Rules


def anything(draw: random.Random, depth: int = 0) -> Any:
    """Something that some hook may answer, or none should."""
    verdict = draw.choice(["pass", "revise", "block", "stop", "replace", "unparsed", None, "odd"])
    start = Start(
        kind=draw.choice(["turn", "prefix", "reset", "odd"]),
        attempt=draw.choice([None, 0, 1, -1]),
        turn=draw.choice([0, 1, -1, 99]),
        prefix=("wait",),
    )
    found = [
        *(None, "wait", "down 1", "", 5, [], (1, 2), {"text": "a"}, object()),
        *(Candidate(text="wait"), Candidate(text="", thought="hm"), Request(question="?"), ContextItem(text="a")),
        Critique(
            text="a", verdict=verdict, score=draw.choice([None, 1, 0.5, "b"]), candidate=draw.choice([None, 0, 5])
        ),
        Critique(verdict=verdict, suggestion="down 1"),
        *(AttemptSpec(), AttemptSpec(start=start), MemoryOp(op="add", id="a")),
    ]
    if depth < 2:
        found.append([anything(draw, depth + 1) for _ in range(draw.randrange(3))])
    return draw.choice(found)


def hook(draw: random.Random, well: float, good: Any) -> Callable[..., Any]:
    """Answers well with some probability, else anything, or raises."""

    def answer(*given: Any) -> Any:
        if draw.random() < well:
            return good(*given) if callable(good) else good
        if draw.random() < 0.1:
            raise ValueError("boom")
        return anything(draw)

    return answer


def episode(seed: int) -> Episode:
    """One episode of a method in which every plug-in is unreliable."""
    draw = random.Random(seed)
    well = draw.choice([0.6, 0.9, 0.97, 0.99])

    def some(good: Any = None) -> Any:
        return hook(draw, well, good)

    moments = ("review_action", "review_turn", "review_attempt", "answer_request", "transform_observation")
    settings = {
        "deliver": draw.choice(["append", "replace", "suppress"]),
        "wrap": draw.choice(["none", "placebo", "delayed", "deceptive", "oracle"]),
    }
    ring = Ring(
        plugin(act=some(lambda view: ["wait", "down 1"][: draw.randrange(1, 3)]), revise=some("down 1")),
        rules=Rules(max_turns=6),
        memory=plugin((), on_task_end=some(), on_task_start=some()),
        protocol=plugin(plan_attempts=some(twice)),
        one=(critic(**{m: some() for m in moments}), settings),
        two=critic(**{m: some(lambda *given: Critique(text="hm", score=draw.random())) for m in moments[:3]}),
    )
    return ring.play(
        bench=ring.bench(seed=seed),
        merge=draw.choice(["severity", "majority", "first"]),
        review_rounds=draw.randrange(3),
        on_block=draw.choice(["execute", "noop", "end"]),
        counted=draw.choice(["first", "last", "selected", "best"]),
        on_critic_error=draw.choice(["end", "continue"]),
    )


def twice(view: Any) -> list[AttemptSpec] | None:
    view.state["rounds"] = view.state.get("rounds", 0) + 1
    return [AttemptSpec()] if view.state["rounds"] < 3 else None


@pytest.mark.parametrize("block", range(2))
def test_whatever_plug_ins_answer_the_episode_is_a_record(block: int) -> None:
    ends: Counter[End] = Counter()
    for seed in range(block * 50, block * 50 + 50):
        record = episode(seed)
        assert msgspec.json.decode(msgspec.json.encode(record), type=Episode) == record
        assert (record.error is None) == (record.end not in (End.ACTOR_ERROR, End.CRITIC_ERROR, End.TIMEOUT))
        ends[record.end] += 1
    assert {End.ACTOR_ERROR, End.CRITIC_ERROR} < set(ends)
