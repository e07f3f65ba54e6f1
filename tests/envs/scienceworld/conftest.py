"""ScienceWorld needs its package and a Java runtime. All tests of a module share one machine."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Iterator

import pytest

from cornerman.records import Task
from cornerman_envs.java.lending import end_idle
from cornerman_envs.scienceworld.env import ScienceWorldEnv


@pytest.fixture(scope="module", autouse=True)
def _needs_scienceworld() -> Iterator[None]:
    """Skip where one is missing; leave no machine behind."""
    if importlib.util.find_spec("scienceworld") is None:
        pytest.skip("needs the extra 'scienceworld': pip install 'cornerman[scienceworld]'")
    if shutil.which("java") is None:
        pytest.skip("needs a Java runtime")
    yield
    end_idle()


@pytest.fixture
def play() -> Iterator[Callable[[Task], ScienceWorldEnv]]:
    """Opens environments that are closed after the test."""
    opened: list[ScienceWorldEnv] = []

    def open_(task: Task) -> ScienceWorldEnv:
        opened.append(ScienceWorldEnv(task))
        return opened[-1]

    yield open_
    for env in opened:
        env.close()
