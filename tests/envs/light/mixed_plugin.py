"""A plug-in file with one suite of the smoke tasks of all small games, so that one run plays them all."""

from __future__ import annotations

from tests.envs.light.games import TASKS

from cornerman.hookspecs import hookimpl
from cornerman.registry import Registry
from cornerman.suites import Rules, Suite


def mixed() -> Suite:
    """The smoke tasks of every small game."""
    return Suite(name="light-mixed", tasks=tuple(TASKS), rules=Rules(max_turns=80))


@hookimpl
def register(registry: Registry) -> None:
    """Enter the suite."""
    registry.add("suite", "light-mixed", mixed, doc="the smoke tasks of every small game")
