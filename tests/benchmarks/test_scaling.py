"""How much faster two worker processes play TextWorld than one, on two cores.

`python -m pytest tests/benchmarks -k scaling` prints turns a second and their ratio; the aim is 1.8 on two quiet cores.
On a machine that others use too, wall time says little, so that CPU time a turn stands beside it: while it stays the
same with two workers, nothing but the cores is in the way. Linux only.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable

import pytest

pytest.importorskip("textworld", reason="needs the extra 'textworld'")

from tests.envs.measuring import cpu

from cornerman import plugins
from cornerman.conformance.leftovers import descendants
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.workers.pool import Pool
from cornerman_envs.textworld.suites import smoke

EPISODES, TURNS, ROUNDS = 4, 150, 3


async def play(pool: Pool, task: Task, seed: int) -> None:
    """A random walk; where it ends the game, another one begins."""
    chance, left = random.Random(seed), TURNS
    while left:
        session = await pool.open(task)
        step = await session.reset()
        while left and not step.terminated:
            step = await session.step(chance.choice(step.admissible or ["look"]))
            left -= 1
        await session.close()


async def timed(loaded: Plugins, workers: int) -> tuple[float, float]:
    """Wall seconds and CPU milliseconds a turn, of engine and workers, with all episodes at once."""
    pool, task = Pool(loaded, workers), smoke().tasks[0]
    await asyncio.gather(*(play(pool, task, seed) for seed in range(workers)))  # the workers have started
    children = descendants()
    spent, started = cpu(children), time.perf_counter()
    await asyncio.gather(*(play(pool, task, seed) for seed in range(EPISODES)))
    wall, spent = time.perf_counter() - started, cpu(children) - spent
    await pool.close()
    turns = EPISODES * TURNS
    return wall / turns, 1e3 * spent / turns


def test_scaling_from_one_worker_to_two(report: Callable[[str], None]) -> None:
    loaded = plugins.load()
    runs = [(asyncio.run(timed(loaded, 1)), asyncio.run(timed(loaded, 2))) for _ in range(ROUNDS)]
    for (one, one_cpu), (two, two_cpu) in runs:
        report(
            f"one worker {1 / one:.0f} turns/s, two {1 / two:.0f}: {one / two:.2f} times as fast; "
            f"CPU a turn {one_cpu:.2f} ms, {two_cpu:.2f} ms"
        )
    best = min(one for (one, _), _ in runs) / min(two for _, (two, _) in runs)
    report(f"best to best: {best:.2f} times as fast")
    assert min(two for _, (_, two) in runs) < 1.5 * min(one for (_, one), _ in runs)  # CPU a turn stays
