"""The environment's specification and the tasks of its splits.

No pair of object and state is in two splits: one who serves a hot apple in training is tested on others, and can do it
by the rules alone.
"""

from __future__ import annotations

from cornerman.environment import EnvironmentSpec
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task

from .env import PLACES, HiddenEnv, pairs

ENV = "cornerman/Hidden-v1"
SPLITS = {"train": (0, 600), "dev": (1_000_000, 48), "test": (2_000_000, 256)}
"""First seed and number of tasks of a family."""
FAMILIES = {"easy": 3, "full": len(PLACES)}
"""How many places there are, by family; the objects of `easy` are wanted as they are."""


def tasks(split: str) -> list[Task]:
    """All tasks of a split, family by family. Raises UsageError for an unknown split."""
    if split not in SPLITS:
        raise UsageError(f"{ENV} has no split '{split}'; {did_you_mean(split, SPLITS)}")
    return [task for family in FAMILIES for task in of_family(family, split)]


def of_family(family: str, split: str) -> list[Task]:
    """The tasks of one family, the pairs in turn."""
    first, count = SPLITS[split]
    known = pairs(split, states=family != "easy")
    listed = []
    for number in range(count):
        thing, state = known[number % len(known)]
        settings = {"object": thing, "places": FAMILIES[family]} | ({} if state is None else {"state": state})
        listed.append(
            Task(
                env=ENV,
                id=f"hidden-{family}-{split}-{number}",
                split=split,
                seed=first + number,
                family=f"hidden-{family}",
                settings=settings,
            )
        )
    return listed


hidden = EnvironmentSpec(id=ENV, make=HiddenEnv, light=True, gold="policy", splits=tuple(SPLITS), tasks=tasks)
