"""Shipped questions, played with the extra `search`."""

from __future__ import annotations

import importlib.util

import pytest

from cornerman.records import Task
from cornerman_envs.searchqa import spec, suites
from cornerman_envs.searchqa.env import SearchQAEnv

SMOKE = {task.family: task for task in suites.smoke().tasks}


@pytest.fixture(scope="session", autouse=True)
def _needs_bm25s() -> None:
    """Nothing can be searched without the extra."""
    if importlib.util.find_spec("bm25s") is None:
        pytest.skip("needs the extra 'search': pip install 'cornerman[search]'")


@pytest.fixture(params=sorted(SMOKE))
def task(request: pytest.FixtureRequest) -> Task:
    """Each task of the smoke suite in turn."""
    return SMOKE[request.param]


@pytest.fixture
def env(task: Task) -> SearchQAEnv:
    """That task, opened."""
    made = spec.atlas.make(task)
    assert isinstance(made, SearchQAEnv)
    made.reset()
    return made
