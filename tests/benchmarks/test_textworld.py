"""TextWorld as an environment of Cornerman beside the raw library, in CPU time of the same walks.

`python -m pytest tests/benchmarks -k textworld` prints the ratios; the aim is at most 10 % more than the library.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

import pytest

pytest.importorskip("textworld", reason="needs the extra 'textworld'")

from tests.envs.textworld.test_speed import STEPS, ours, theirs

from cornerman_envs.textworld import library
from cornerman_envs.textworld.env import TextWorldEnv
from cornerman_envs.textworld.suites import smoke

WALKS = 9
"""Pairs of walks a game, the library's and ours in turn; the median of their ratios counts."""


def test_textworld_beside_the_library(report: Callable[[str], None]) -> None:
    report("game | library, steps a CPU second | ours | CPU of ours to the library's")
    worst = 0.0
    for task in smoke().tasks:
        env = TextWorldEnv(task)
        player = library.start(env.game.path, admissible_commands=True)
        pairs = [(theirs(player, seed), ours(env, seed)) for seed in range(WALKS)]
        player.close()
        env.close()
        ratio = median(b / a for a, b in pairs)
        library_speed, own_speed = (STEPS / median(column) for column in zip(*pairs, strict=True))
        report(f"{task.family} | {library_speed:.0f} | {own_speed:.0f} | {ratio:.2f}")
        worst = max(worst, ratio)
    assert worst < 1.25  # the aim is 1.10; a busy machine adds noise
