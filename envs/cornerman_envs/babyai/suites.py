"""The suites. `panels.json` freezes them: for each suite rows of [level, number in its split, digest of the world].

`babyai-full` has three worlds of every level, `babyai-dev` one of every other. The rules leave room for twice the
longest plan.
"""

from __future__ import annotations

import functools
import importlib.resources

import msgspec

from cornerman.records import Task
from cornerman.suites import Rules, Suite

from .spec import babyai


def _suite(name: str, split: str, max_turns: int, description: str) -> Suite:
    return Suite(name=name, tasks=_panel(name, split), rules=Rules(max_turns=max_turns), description=description)


def _panel(name: str, split: str) -> tuple[Task, ...]:
    text = importlib.resources.files(__package__).joinpath("panels.json").read_bytes()
    rows = msgspec.json.decode(text, type=dict[str, list[tuple[str, int, str]]])[name]
    assert babyai.tasks is not None
    listed = {task.id: task for task in babyai.tasks(split)}
    return tuple(
        msgspec.structs.replace(listed[f"babyai-{level}-{split}-{number}"], data=data) for level, number, data in rows
    )


smoke = functools.partial(_suite, "babyai-smoke", "dev", 30, "five worlds: go to, open, pick up, put next to, unlock")
dev = functools.partial(_suite, "babyai-dev", "dev", 80, "fifty worlds of fifty levels for development")
full = functools.partial(_suite, "babyai-full", "test", 80, "three worlds of each of the 92 levels that are played")
