"""Suites of ALFWorld games.

The generated ones are cut from the splits of `specs`: tests from `seen` (140) and `unseen` (134), as many as the
official splits have; development and smoke tasks from the part of `seen` that the test suite leaves. They are never
called valid_seen or valid_unseen: those names belong to the official games.
"""

from __future__ import annotations

import functools

from cornerman.errors import UsageError
from cornerman.suites import Rules, Suite
from cornerman_envs.alfworld import spec

RULES = Rules(max_turns=50)
"""50 turns as in ALFWorld's default configuration; admissible commands are shown."""

SEEN, DEV, SMOKE, UNSEEN = slice(0, 140), slice(140, 190), slice(192, 197), slice(0, 134)


def _generated(name: str, split: str, part: slice, description: str, env: str = spec.GENERATED) -> Suite:
    return Suite(name=name, tasks=tuple(spec.generated_tasks(env, split)[part]), rules=RULES, description=description)


def _official(name: str, split: str, count: int, env: str = spec.OFFICIAL) -> Suite:
    tasks = spec.official_tasks(env, split)
    if len(tasks) != count:
        raise UsageError(
            f"{name} has {count} games, but ALFWORLD_DATA holds {len(tasks)} of {split}; download them again"
        )
    return Suite(name=name, tasks=tuple(tasks), rules=RULES, description=f"the official {split} split")


smoke = functools.partial(_generated, "alfworldgen-smoke", "seen", SMOKE, "five generated games")
smoke_stock = functools.partial(
    _generated, "alfworldgen-smoke-stock", "seen", SMOKE, "five generated games, stock engine", spec.GENERATED_STOCK
)
dev = functools.partial(_generated, "alfworldgen-dev", "seen", DEV, "generated games for development")
seen = functools.partial(_generated, "alfworldgen-seen", "seen", SEEN, "generated games in rooms of the training split")
unseen = functools.partial(
    _generated, "alfworldgen-unseen", "unseen", UNSEEN, "generated games in rooms never trained in"
)
valid_seen = functools.partial(_official, "alfworld-valid-seen", "valid_seen", 140)
valid_unseen = functools.partial(_official, "alfworld-valid-unseen", "valid_unseen", 134)
valid_seen_stock = functools.partial(_official, "alfworld-valid-seen-stock", "valid_seen", 140, spec.OFFICIAL_STOCK)
