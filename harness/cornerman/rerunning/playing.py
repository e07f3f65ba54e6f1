"""Recorded episodes, run again."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from cornerman.engine.context import Bench, Limits, MemoryItem
from cornerman.engine.episode import run_episode
from cornerman.engine.method import Method
from cornerman.errors import POLICY, UsageError
from cornerman.pacing import side_by_side
from cornerman.prices import Prices
from cornerman.records import Episode
from cornerman.rerunning.answers import Answers, Asked, recorded_models
from cornerman.rerunning.comparing import differing
from cornerman.slim import slim
from cornerman.suites import Rules
from cornerman.workers.session import Sessions

NO_LIMITS = Limits(call_seconds=0.0, turn_seconds=0.0, episode_seconds=0.0, reset_seconds=0.0, step_seconds=0.0)
SHOWN = 3
"""Differences of an episode that are told: the first ones cause the others."""


@dataclass(frozen=True)
class Stage:
    """What the episodes of a run share when they are run again. models: name and capabilities by URI."""

    sessions: Sessions
    methods: Mapping[str, Method]
    rules: Rules
    seed: int
    models: Mapping[str, tuple[str, Sequence[str]]]
    prices: Prices = field(default_factory=dict)
    memories: Mapping[tuple[str, str, int], tuple[MemoryItem, ...]] = field(default_factory=dict)
    """What each episode's memory held when it began, by the episode's key."""


class Rerun(msgspec.Struct, frozen=True):
    """An episode run again. problems: what differs, in sentences. asked: its calls with their questions."""

    episode: Episode
    problems: list[str]
    asked: list[Asked] = []


def can_run(episode: Episode) -> bool:
    """Whether a rerun has to come to the same: where something broke it does not."""
    return not POLICY[episode.end].error


async def rerun(stage: Stage, episodes: Iterable[Episode], at_once: int = 1) -> AsyncIterator[Rerun]:
    """Run episodes again, `at_once` of them side by side; answers come in their order."""
    async for found in side_by_side((rerun_episode(stage, e) for e in episodes if can_run(e)), at_once):
        yield found


async def rerun_episode(stage: Stage, recorded: Episode) -> Rerun:
    """Run one episode again."""
    recorded = slim(recorded)
    answers = Answers(recorded)
    bench = Bench(
        sessions=stage.sessions,
        model=recorded_models(answers, stage.models),
        seed=stage.seed,
        limits=NO_LIMITS,
        prices=stage.prices,
    )
    method, memory = stage.methods[recorded.method], stage.memories.get(recorded.key, ())
    try:
        again = await run_episode(bench, recorded.task, method, stage.rules, recorded.trial, memory)
    except UsageError as error:
        return Rerun(recorded, [f"cannot be run again: {error}"], answers.asked)
    return Rerun(recorded, problems(recorded, again, answers), answers.asked)


def problems(recorded: Episode, again: Episode, answers: Answers) -> list[str]:
    """What differs, in sentences."""
    found = [
        f"{told(place)} is {short(there)}, run again it is {short(here)}"
        for place, there, here in differing(recorded, again)[:SHOWN]
    ]
    if unasked := answers.unasked:
        c = unasked[0]
        found.append(f"{len(unasked)} recorded calls answer nothing that is asked, first call {c.id} of {c.plugin}")
    return [*found, *answers.missing[:1]]


def told(place: str) -> str:
    """`attempts[0].turns[3].executed` as a sentence names it: `attempt 0 turn 3: executed`."""
    return re.sub(r"(attempt|turn|call)s\[(\d+)\]\.?", r"\1 \2: ", place).replace(": turn", " turn").strip(" :")


def short(value: Any) -> str:
    """A value as a sentence shows it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
