"""The suites: the first tasks of a split, the families in turn. The rules leave room for twice the longest plan."""

from __future__ import annotations

import functools

from cornerman.records import Task
from cornerman.suites import Rules, Suite
from cornerman_envs.light.listing import distinct, mixed, tasks

from .env import SokobanEnv
from .spec import ENV, FAMILIES

RULES = Rules(max_turns=80)


def _suite(name: str, split: str, number: int, description: str) -> Suite:
    listed = distinct(tasks(ENV, "sokoban", FAMILIES, split), content)
    return Suite(name=name, tasks=mixed(listed, number), rules=RULES, description=description)


def content(task: Task) -> str:
    """The room as it starts."""
    env = SokobanEnv(task)
    return env.room.draw(env.first)


smoke = functools.partial(_suite, "sokoban-smoke", "dev", 5, "five rooms, one of each family")
dev = functools.partial(_suite, "sokoban-dev", "dev", 50, "fifty rooms with one or two boxes for development")
test = functools.partial(_suite, "sokoban-test", "test", 200, "two hundred rooms with one or two boxes")
