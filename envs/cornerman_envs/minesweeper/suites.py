"""The suites: the first tasks of a split, the sizes in turn. The rules leave room for twice the longest plan."""

from __future__ import annotations

import functools

from cornerman.records import Task
from cornerman.suites import Rules, Suite
from cornerman_envs.light.listing import distinct, mixed, tasks

from .env import MinesweeperEnv
from .spec import ENV, FAMILIES

RULES = Rules(max_turns=80)


def _suite(name: str, split: str, number: int, description: str) -> Suite:
    listed = distinct(tasks(ENV, "minesweeper", FAMILIES, split), content)
    return Suite(name=name, tasks=mixed(listed, number), rules=RULES, description=description)


def content(task: Task) -> str:
    """The board in one line."""
    return MinesweeperEnv(task).board.text


smoke = functools.partial(_suite, "minesweeper-smoke", "dev", 5, "five boards of sizes 5 to 8")
dev = functools.partial(_suite, "minesweeper-dev", "dev", 50, "fifty boards of sizes 5 to 8 for development")
test = functools.partial(_suite, "minesweeper-test", "test", 200, "two hundred boards of sizes 5 to 8")
