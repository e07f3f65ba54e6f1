"""The environment's specification and the tasks of its splits: every level that is played, with seeds of its own.

No world with its start and mission is in two splits: a hash of it decides to which one it belongs.
"""

from __future__ import annotations

import functools
import importlib.metadata

from cornerman.environment import EnvironmentSpec
from cornerman_envs.light.listing import SPLITS, tasks

from .env import BabyAIEnv
from .levels import LEVELS

ENV = "cornerman/BabyAI-v1"
FAMILIES = {level: {"level": level, "part": "split"} for level in LEVELS}


def versions() -> dict[str, str]:
    """The versions on which the worlds depend: minigrid makes them, with NumPy's generator."""
    return {name: importlib.metadata.version(name) for name in ("minigrid", "numpy")}


babyai = EnvironmentSpec(
    id=ENV,
    make=BabyAIEnv,
    light=True,
    gold="policy",
    splits=tuple(SPLITS),
    tasks=functools.partial(tasks, ENV, "babyai", FAMILIES),
    versions=versions,
)
