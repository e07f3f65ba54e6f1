"""What a turn costs in a worker process, in CPU time of engine and worker together, beside the same turn inline.

Wall time says little about it: most of a turn in a worker is waiting. `pytest tests/benchmarks/test_workers.py -s`
prints the figures.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from cornerman import plugins
from cornerman.records import Task
from cornerman.workers.pool import Pool

PLUGIN = Path(__file__).parents[1] / "harness" / "workers" / "countdown_plugin.py"
TURNS = 2000
TEXT = "You are in the kitchen. On the counter you see a knife 1, a tomato 2 and a bread 1. " * 5


async def cpu_of_turns(pool: Pool, episodes: int, turns: int) -> tuple[float, int]:
    """Seconds of CPU that engine and workers used for so many turns, and the number of turns."""

    async def play(name: str) -> tuple[float, int]:
        session = await pool.open(Task(env="countdown", id=name))
        await session.reset()
        facts = await session.facts()
        for _ in range(turns):
            await session.step("say " + TEXT)
        after = await session.facts()
        await session.close()
        return after["cpu"] - facts["cpu"], int(after["pid"])

    before = time.process_time()
    played = await asyncio.gather(*(play(f"t{i}") for i in range(episodes)))
    engine = time.process_time() - before
    return engine + sum(cpu for cpu, pid in played if pid != os.getpid()), episodes * turns


@pytest.mark.parametrize(("workers", "episodes"), [(0, 1), (1, 1), (0, 8), (8, 8)])
def test_cpu_of_a_turn(benchmark: Any, workers: int, episodes: int) -> None:
    loaded = plugins.load([str(PLUGIN)])

    async def run() -> float:
        pool = Pool(loaded, workers)
        await cpu_of_turns(pool, episodes, 1)  # the workers have started
        cpu, turns = await cpu_of_turns(pool, episodes, TURNS // episodes)
        await pool.close()
        return cpu / turns * 1e6

    figure = benchmark.pedantic(lambda: asyncio.run(run()), rounds=1)
    benchmark.extra_info["cpu_us_per_turn"] = round(figure, 1)
    print(f"\n{workers} workers, {episodes} episodes at once: {figure:.0f} µs CPU a turn")
    assert figure > 0
