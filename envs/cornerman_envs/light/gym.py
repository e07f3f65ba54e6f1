"""Small games under Gymnasium's own `make`. Importing this module registers them:

import cornerman_envs.light.gym
env = gymnasium.make("cornerman/TextCraft-v1", seed=3, depth=2)
env = gymnasium.make("cornerman_envs.light.gym:cornerman/TextCraft-v1", task=task)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gymnasium

from cornerman.environment import TextEnv
from cornerman.errors import UsageError
from cornerman.records import Task
from cornerman_envs.frozenlake.env import FrozenLakeEnv
from cornerman_envs.frozenlake.spec import ENV as FROZENLAKE
from cornerman_envs.hidden.env import HiddenEnv
from cornerman_envs.hidden.spec import ENV as HIDDEN
from cornerman_envs.minesweeper.env import MinesweeperEnv
from cornerman_envs.minesweeper.spec import ENV as MINESWEEPER
from cornerman_envs.sokoban.env import SokobanEnv
from cornerman_envs.sokoban.spec import ENV as SOKOBAN
from cornerman_envs.textcraft.env import TextCraftEnv
from cornerman_envs.textcraft.spec import ENV as TEXTCRAFT

GAMES: dict[str, Callable[[Task], TextEnv]] = {
    TEXTCRAFT: TextCraftEnv,
    FROZENLAKE: FrozenLakeEnv,
    HIDDEN: HiddenEnv,
    SOKOBAN: SokobanEnv,
    MINESWEEPER: MinesweeperEnv,
}


def make(environment: str, *, task: Task | None = None, seed: int = 0, **settings: Any) -> TextEnv:
    """The environment of a task, or of the game that a seed and settings ask for. Not both."""
    if task is None:
        task = Task(env=environment, id=f"{environment}-seed{seed}", seed=seed, settings=settings)
    elif seed or settings:
        raise UsageError("give either a task or a seed and settings, not both")
    elif task.env != environment:
        raise UsageError(f"task {task.id} is one of {task.env}, not of {environment}")
    return GAMES[environment](task)


def register_gymnasium() -> None:
    """Enter the ids into Gymnasium's registry; those that are there already stay as they are."""
    for environment in GAMES:
        if environment not in gymnasium.registry:
            gymnasium.register(id=environment, entry_point=functools.partial(make, environment))


register_gymnasium()
