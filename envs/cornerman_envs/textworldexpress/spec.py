"""The environment's specification and the tasks of its splits."""

from __future__ import annotations

from cornerman.environment import EnvironmentSpec
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task
from cornerman_envs.textworldexpress.env import FOLDS, GAMES, TextWorldExpressEnv
from cornerman_envs.textworldexpress.simulator import versions

ENV = "cornerman/TextWorldExpress-v1"
SEEDS = {"train": 0, "dev": 10_000, "test": 20_000}
"""First seed of each fold; a fold has 1,000."""
PER_FOLD = 1000


def task_of(game: str, fold: str, number: int) -> Task:
    """The task of that number, from 0, in one game and fold, with the package's default parameters."""
    return Task(
        env=ENV,
        id=f"twx-{game}-{fold}-{number}",
        split=fold,
        seed=SEEDS[fold] + number,
        family=game,
        settings={"game": game, "fold": fold},
    )


def tasks(split: str) -> list[Task]:
    """All tasks of a fold, game by game."""
    if split not in SEEDS:
        raise UsageError(f"{ENV} has no split '{split}'; {did_you_mean(split, SEEDS)}")
    return [task_of(game, split, number) for game in GAMES for number in range(PER_FOLD)]


textworldexpress = EnvironmentSpec(
    id=ENV,
    make=TextWorldExpressEnv,
    gold="script",
    splits=FOLDS,
    tasks=tasks,
    versions=versions,
)
