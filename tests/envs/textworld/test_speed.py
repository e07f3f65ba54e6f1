"""What an environment costs beside textworld itself, in CPU time of the same walks. `pytest -s` prints the figures."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from cornerman.records import Task
from cornerman_envs.textworld import library
from cornerman_envs.textworld.env import TextWorldEnv

STEPS = 100


def theirs(player: Any, seed: int) -> float:
    """CPU seconds of a walk in textworld's own environment."""
    generator, state = random.Random(seed), player.reset()
    start = time.process_time()
    for _ in range(STEPS):
        state, _, done = player.step(generator.choice(state.admissible_commands))
        if done:
            state = player.reset()
    return time.process_time() - start


def ours(env: TextWorldEnv, seed: int) -> float:
    """CPU seconds of the same walk in ours."""
    generator, (_, info) = random.Random(seed), env.reset()
    start = time.process_time()
    for _ in range(STEPS):
        _, _, done, _, info = env.step(generator.choice(info["admissible_actions"]))
        if done:
            _, info = env.reset()
    return time.process_time() - start


def test_little_slower_than_the_library(task: Task, play: Callable[[Task], TextWorldEnv]) -> None:
    """About 0 to 7 percent are usual; the bound leaves room for a busy machine."""
    env = play(task)
    player = library.start(env.game.path, admissible_commands=True)
    pairs = [(theirs(player, seed), ours(env, seed)) for seed in range(6)]
    player.close()
    library_seconds, our_seconds = map(sum, zip(*pairs, strict=True))
    steps = STEPS * len(pairs)
    print(f"\n{task.family}: {steps / library_seconds:.0f} steps per CPU second, ours {steps / our_seconds:.0f}")
    assert library_seconds / our_seconds > 0.8
