"""The suites: the first tasks of a split, the sizes in turn. The rules leave room for twice the longest plan."""

from __future__ import annotations

import functools

from cornerman.records import Task
from cornerman.suites import Rules, Suite
from cornerman_envs.light.listing import distinct, mixed, tasks

from .env import FrozenLakeEnv
from .spec import ENV, FAMILIES


def _suite(name: str, kind: str, split: str, number: int, description: str) -> Suite:
    families = [f"frozenlake-{family}" for family in FAMILIES if family.startswith(kind)]
    listed = [task for task in tasks(ENV, "frozenlake", FAMILIES, split) if task.family in families]
    chosen = mixed(distinct(listed, content), number)
    return Suite(name=name, tasks=chosen, rules=Rules(max_turns=40), description=description)


def content(task: Task) -> str:
    """The map in one line."""
    return FrozenLakeEnv(task).map.text


smoke = functools.partial(_suite, "frozenlake-smoke", "grid", "dev", 5, "five lakes with the rules told")
dev = functools.partial(_suite, "frozenlake-dev", "grid", "dev", 50, "fifty lakes of sizes 3 to 6 for development")
test = functools.partial(_suite, "frozenlake-test", "grid", "test", 200, "two hundred lakes of sizes 3 to 6")
symbols_dev = functools.partial(
    _suite, "frozenlake-symbols-dev", "symbols", "dev", 50, "fifty lakes in bare symbols for development"
)
symbols_test = functools.partial(
    _suite, "frozenlake-symbols-test", "symbols", "test", 200, "two hundred lakes in bare symbols, no rules told"
)
