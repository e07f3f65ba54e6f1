"""TextWorld-Express needs its package and a Java runtime. All tests of a module share one machine."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Iterator

import pytest

from cornerman.records import Task
from cornerman_envs.java.lending import end_idle
from cornerman_envs.textworldexpress.env import TextWorldExpressEnv


@pytest.fixture(scope="module", autouse=True)
def _needs_textworld_express() -> Iterator[None]:
    """Skip where one is missing; leave no machine behind."""
    if importlib.util.find_spec("textworld_express") is None:
        pytest.skip("needs the extra 'twx': pip install 'cornerman[twx]'")
    if shutil.which("java") is None:
        pytest.skip("needs a Java runtime")
    yield
    end_idle()


@pytest.fixture
def play() -> Iterator[Callable[[Task], TextWorldExpressEnv]]:
    """Opens environments that are closed after the test."""
    opened: list[TextWorldExpressEnv] = []

    def open_(task: Task) -> TextWorldExpressEnv:
        opened.append(TextWorldExpressEnv(task))
        return opened[-1]

    yield open_
    for env in opened:
        env.close()
