"""Settings, splits and tasks of small games."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from cornerman.environment import EnvironmentSpec, TextEnv
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task
from cornerman.seeds import derive

SPLITS: dict[str, tuple[int, int]] = {"train": (0, 200), "dev": (1_000_000, 30), "test": (2_000_000, 60)}
"""First seed and number of tasks of a family, by split."""

T = TypeVar("T", bound=msgspec.Struct)
Families = Mapping[str, Mapping[str, Any]]
"""Settings by family."""


def parse(settings: type[T], task: Task) -> T:
    """A task's settings as a struct. Raises UsageError where they do not fit."""
    unknown = set(task.settings) - set(settings.__struct_fields__)
    if unknown:
        name = min(unknown)
        raise UsageError(f"{task.env} has no setting '{name}'; {did_you_mean(name, settings.__struct_fields__)}")
    try:
        return msgspec.convert(task.settings, settings)
    except msgspec.ValidationError as error:
        raise UsageError(f"task {task.id}: wrong settings for {task.env}: {error}") from None


def part_of(content: str) -> str:
    """The split that a game of this content belongs to: one in ten is `dev`, two are `test`, the rest `train`.

    A hash decides, so that the same game can never be in two splits, whatever the seeds.
    """
    place = derive("part", content) % 10
    return "dev" if place == 0 else "test" if place <= 2 else "train"


def tasks(env: str, name: str, families: Families, split: str) -> list[Task]:
    """All tasks of a split, family by family. A setting `part` in a family is filled with the split.

    Raises UsageError for an unknown split.
    """
    if split not in SPLITS:
        raise UsageError(f"{env} has no split '{split}'; {did_you_mean(split, SPLITS)}")
    first, count = SPLITS[split]
    return [
        Task(
            env=env,
            id=f"{name}-{family}-{split}-{number}",
            split=split,
            seed=first + 1000 * place + number,
            family=f"{name}-{family}",
            settings={key: split if key == "part" else value for key, value in settings.items()},
        )
        for place, (family, settings) in enumerate(families.items())
        for number in range(count)
    ]


def distinct(listed: list[Task], content: Callable[[Task], str]) -> list[Task]:
    """The tasks without those whose game, told by its content, came before in their family."""
    found: dict[tuple[str, str], Task] = {}
    for task in listed:
        found.setdefault((task.family, content(task)), task)
    return list(found.values())


def mixed(listed: list[Task], number: int) -> tuple[Task, ...]:
    """The first `number` tasks, the families taken in turn."""
    families: dict[str, list[Task]] = {}
    for task in listed:
        families.setdefault(task.family, []).append(task)
    rounds = itertools.zip_longest(*families.values())
    return tuple(task for row in rounds for task in row if task is not None)[:number]


def specification(env: str, name: str, families: Families, make: Callable[[Task], TextEnv]) -> EnvironmentSpec:
    """The specification of a small game."""
    return EnvironmentSpec(
        id=env,
        make=make,
        light=True,
        gold="policy",
        splits=tuple(SPLITS),
        tasks=functools.partial(tasks, env, name, families),
    )
