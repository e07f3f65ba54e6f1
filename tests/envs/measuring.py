"""One environment in a process of its own: start, steps, resets and memory, its child processes included.

`python -m tests.envs.measuring SUITE TASK` prints the figures as JSON, which `tests.envs.table` records. It runs on
Linux: child processes are read from /proc.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

from cornerman import plugins
from cornerman.conformance.leftovers import descendants
from cornerman.environment import EnvironmentSpec, TextEnv
from cornerman.experiment import load_suite

RESETS, WARM_UP = 300, 50
"""Resets in all, and those after which growth is counted: pools and caches have filled by then."""
STEPS, SECONDS, WALKS = 20_000, 5.0, 200
"""A measurement of steps ends with any of them: steps, CPU seconds of steps, walks from a reset."""
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu(children: set[int]) -> float:
    """CPU seconds of this process and of those below it."""
    total = time.process_time()
    for pid in children:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / TICK
    return total


def memory() -> float:
    """Resident megabytes of this process and of those below it."""
    pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in {os.getpid()} | descendants()]
    return sum(pages) * PAGE / 1e6


def steps_per_second(env: TextEnv, seed: int | None, children: set[int]) -> float:
    """Steps a CPU second: a random walk over admissible actions, or gold where none are listed. Resets do not count."""
    chance, spent, done = random.Random(0), 0.0, 0
    for _ in range(WALKS):
        if spent >= SECONDS or done >= STEPS:
            break
        _, info = env.reset(seed=seed)
        plan = None if info.get("admissible_actions") else env.gold()
        begun, over, here = cpu(children), False, 0
        while not over and here < (100 if plan is None else len(plan)):
            action = chance.choice(info["admissible_actions"]) if plan is None else plan[here]
            _, _, terminated, truncated, info = env.step(action)
            over, here = terminated or truncated, here + 1
        spent, done = spent + cpu(children) - begun, done + here
    return done / spent


def measure(suite: str, name: str) -> dict[str, Any]:
    """The figures of the environment that a task of a suite plays in."""
    registry = plugins.load().registry
    before, begun = memory(), cpu(set())
    task = next(t for t in load_suite(registry, suite).tasks if t.id == name)
    spec: EnvironmentSpec = registry.get("environment", task.env).load()
    seed = task.seed if spec.seedable else None
    env = spec.make(task)
    assert isinstance(env, TextEnv)
    env.reset(seed=seed)
    children = descendants()
    start = cpu(children) - begun
    kept, chance, resetting = 0.0, random.Random(0), 0.0
    for number in range(RESETS):
        if number == WARM_UP:
            kept = memory()
        begun = cpu(children)
        _, info = env.reset(seed=seed)
        resetting += cpu(children) - begun
        for _ in range(3):
            _, _, terminated, truncated, info = env.step(chance.choice(info.get("admissible_actions") or ["look"]))
            if terminated or truncated:
                break
    grown = memory()
    figures = {
        "start_s": round(start, 2),
        "reset_ms": round(1000 * resetting / RESETS, 3),
        "steps_per_cpu_s": round(steps_per_second(env, seed, children), 1),
        "memory_mb": round(grown - before, 1),
        "growth_percent": round(100 * (grown - kept) / kept, 2),
    }
    env.close()
    return figures


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:])))
