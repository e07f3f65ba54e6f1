"""Plays episodes for training and for its evaluation, by the same engine and plug-ins as any run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from cornerman.engine.context import Bench, Limits, Phase
from cornerman.engine.episode import run_episode
from cornerman.engine.method import Method
from cornerman.model import Model
from cornerman.records import Episode, Task
from cornerman.suites import Rules
from cornerman.workers.session import Sessions

UNLIMITED = Limits(call_seconds=0, turn_seconds=0, episode_seconds=0)
"""An episode that ended by the clock would not end so again."""
AT_ONCE = 64


async def play(
    sessions: Sessions,
    model: Callable[[str], Model],
    method: Method,
    rules: Rules,
    tasks: Sequence[Task],
    *,
    trials: int,
    seed: int,
    phase: Phase,
) -> list[Episode]:
    """Every trial of every task, in their order; at most `AT_ONCE` are under way.

    With light environments and a model on the event loop, equal arguments give equal episodes but for their seconds.
    """
    bench = Bench(sessions=sessions, model=model, seed=seed, limits=UNLIMITED, phase=phase)
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: Task, trial: int) -> Episode:
        async with gate:
            return await run_episode(bench, task, method, rules, trial)

    playing = [asyncio.create_task(one(task, trial)) for task in tasks for trial in range(trials)]
    try:
        return await asyncio.gather(*playing)
    finally:
        for task in playing:
            task.cancel()
