"""The smoke games: made on the first run, then kept in the user's cache folder or where CORNERMAN_CACHE says."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator

import pytest

from cornerman.records import Task
from cornerman_envs.textworld import suites
from cornerman_envs.textworld.env import TextWorldEnv

SMOKE = {task.family: task for task in suites.smoke().tasks}


@pytest.fixture(scope="session", autouse=True)
def _needs_textworld(request: pytest.FixtureRequest) -> None:
    """What is tested here without a game is worth nothing without the extra either."""
    if importlib.util.find_spec("textworld") is None:
        pytest.skip("needs the extra 'textworld': pip install 'cornerman[textworld]'")


@pytest.fixture(params=sorted(SMOKE))
def task(request: pytest.FixtureRequest) -> Task:
    """Each task of the smoke suite in turn."""
    return SMOKE[request.param]


@pytest.fixture
def play() -> Iterator[Callable[[Task], TextWorldEnv]]:
    """Opens environments that are closed after the test."""
    opened: list[TextWorldEnv] = []

    def open_(task: Task) -> TextWorldEnv:
        opened.append(TextWorldEnv(task))
        return opened[-1]

    yield open_
    for env in opened:
        env.close()


@pytest.fixture
def house() -> Task:
    """The smoke suite's house, with doors, containers and food."""
    return SMOKE["simple-detailed"]
