"""Settings are checked before anything is made, and the error says what to change."""

from __future__ import annotations

from typing import Any

import pytest

from cornerman.errors import UsageError
from cornerman_envs.textworld import spec
from cornerman_envs.textworld.kinds import KINDS, CoinCollector, Cooking, kind_of


@pytest.mark.parametrize(
    ("env", "settings", "words"),
    [
        (spec.COOKING, {"recipes": 2}, "did you mean 'recipe'"),
        (spec.COOKING, {"recipe": 6}, "<= 5"),
        (spec.COOKING, {"recipe": 1, "take": 2}, "take = 2 exceeds recipe = 1"),
        (spec.COOKING, {"go": 7}, "go"),
        (spec.COOKING, {"drop": True}, "no setting 'drop'"),
        (spec.COIN, {"level": 0}, ">= 1"),
        (spec.COIN, {"level": 160}, "120 rooms; at most 100"),
        (spec.COIN, {"level": "5"}, "level"),
        (spec.TREASURE, {"level": 31}, "<= 30"),
        (spec.SIMPLE, {"goal": "none"}, "goal"),
    ],
)
def test_wrong_settings(env: str, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        kind_of(env).parse(settings)


def test_unknown_environment() -> None:
    with pytest.raises(UsageError, match="did you mean 'cornerman/TextWorldCooking-v1'"):
        kind_of("cornerman/TextWorldCookng-v1")


def test_defaults() -> None:
    assert KINDS[spec.COOKING].parse({"recipe": 2}) == Cooking(recipe=2, take=1)


@pytest.mark.parametrize(("level", "rooms"), [(1, 1), (100, 100), (101, 2), (150, 100), (233, 99)])
def test_rooms_of_a_level(level: int, rooms: int) -> None:
    assert CoinCollector(level=level).rooms == rooms


@pytest.mark.parametrize("env", sorted(KINDS))
def test_every_task_of_every_split_has_valid_settings(env: str) -> None:
    seeds: set[int] = set()
    for split, (_, number) in spec.SPLITS.items():
        tasks = spec.tasks(env, split)
        assert len({task.id for task in tasks}) == len(tasks) == number * len(spec.FAMILIES[env])
        assert {task.split for task in tasks} == {split}
        assert not seeds & {task.seed for task in tasks}
        seeds |= {task.seed for task in tasks}
        for task in tasks:
            KINDS[env].parse(task.settings)


def test_unknown_split() -> None:
    with pytest.raises(UsageError, match="did you mean 'test'"):
        spec.tasks(spec.COIN, "tests")
