"""The suite of `cornerman run quickstart`: twelve short games, six of TextWorld and six of ALFWorldGen."""

from __future__ import annotations

from cornerman.suites import Rules, Suite
from cornerman_envs.alfworld import suites as alfworld
from cornerman_envs.textworld import suites as textworld

FAMILIES = ("coin-5", "treasure-5", "cooking-r1")
GAMES = 2
"""Games of each TextWorld family."""


def suite() -> Suite:
    """Tasks whose gold plans are short, so that a small model on a laptop plays them all in minutes."""
    games = textworld.dev().tasks
    chosen = [[t for t in games if t.family == family][:GAMES] for family in FAMILIES]
    return Suite(
        name="quickstart",
        tasks=(*(t for family in chosen for t in family), *alfworld.dev().tasks[:6]),
        rules=Rules(max_turns=10),
        description="twelve short games: six of TextWorld, six of ALFWorldGen, one of each task type",
    )
