"""The suites. `panels.json` freezes them: for each suite rows of [family, number in its split, digest of the source].

They are the first games of each family's dev split. The rules leave room for twice the longest plan (30 actions).
"""

from __future__ import annotations

import importlib.resources

import msgspec

from cornerman.records import Task
from cornerman.suites import Rules, Suite

from .spec import FAMILIES, task_of

_ENVIRONMENT = {family: env for env, families in FAMILIES.items() for family in families}


def smoke() -> Suite:
    """Five short games, one or more of each kind."""
    return Suite(
        name="textworld-smoke",
        tasks=_panel("textworld-smoke"),
        rules=Rules(max_turns=30),
        description="five short TextWorld games, at least one of each kind",
    )


def dev() -> Suite:
    """Fifty games of all kinds and levels."""
    return Suite(
        name="textworld-dev",
        tasks=_panel("textworld-dev"),
        rules=Rules(max_turns=60),
        description="fifty TextWorld games over 23 families: house chores, coins, treasures and cooking",
    )


def _panel(name: str) -> tuple[Task, ...]:
    text = importlib.resources.files(__package__).joinpath("panels.json").read_bytes()
    rows = msgspec.json.decode(text, type=dict[str, list[tuple[str, int, str]]])[name]
    return tuple(
        msgspec.structs.replace(task_of(_ENVIRONMENT[family], family, "dev", number), data=source)
        for family, number, source in rows
    )
