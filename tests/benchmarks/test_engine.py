"""What the episode engine itself costs: CPU time of countdown episodes with a scripted actor and three critics.

`pytest tests/benchmarks/test_engine.py --benchmark-only -s` prints the cost of an episode and of a turn. Only ratios
are compared: a turn must not become dearer as an episode gets longer.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import numpy as np
import pytest
from tests.support import countdown
from tests.support.scripts import Ring, actor, critic

from cornerman import Critique, Verdict
from cornerman.engine.episode import run_episode
from cornerman.suites import Rules

TURNS = (1, 20, 50)


def speaker() -> type:
    """A critic that reads the history, judges each candidate and says a word after each turn."""

    def review(view: Any, candidates: Any) -> list[Critique]:
        return [Critique(verdict=Verdict.PASS, score=len(view.history) / 50) for _ in candidates]

    def comment(view: Any, turn: Any) -> Critique:
        return Critique(text=f"turn {turn.index} of {len(view.history)}")

    return critic(("history", "admissible"), review_action=review, review_turn=comment)


def cpu_of_episodes(turns: int, critics: int, episodes: int) -> float:
    """Seconds of CPU that an episode takes, the mean over some."""
    ring = Ring(actor("wait"), rules=Rules(max_turns=turns), **{f"critic{i}": speaker() for i in range(critics)})
    made, bench, task = ring.method(), ring.bench(), countdown.task()

    async def play() -> float:
        started = time.process_time()
        for _ in range(episodes):
            episode = await run_episode(bench, task, made, ring.rules)
            assert len(episode.attempts[0].turns) == turns
        return (time.process_time() - started) / episodes

    return asyncio.run(play())


@pytest.mark.parametrize("critics", [0, 3])
def test_cost_of_an_episode_and_of_a_turn(benchmark: Any, critics: int) -> None:
    def measure() -> list[float]:
        return [min(cpu_of_episodes(turns, critics, 400 // turns + 5) for _ in range(3)) for turns in TURNS]

    costs = benchmark.pedantic(measure, rounds=1)
    slope, intercept = np.polyfit(TURNS, costs, 1)
    shown = ", ".join(f"{t} turns {c * 1e3:.2f} ms" for t, c in zip(TURNS, costs, strict=True))
    print(f"\n{critics} critics: {slope * 1e6:.0f} µs CPU a turn and {intercept * 1e6:.0f} µs an episode ({shown})")
    twenty, fifty = ((costs[i] - costs[0]) / (TURNS[i] - 1) for i in (1, 2))
    assert fifty < 2 * twenty
