"""A pool over the countdown environment, and the account of processes and descriptors that tests take."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cornerman import plugins
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.workers.pool import Pool

PLUGIN = str(Path(__file__).with_name("countdown_plugin.py"))


@pytest.fixture(scope="session")
def countdown() -> Plugins:
    """The catalogue with the test environments in it."""
    return plugins.load([PLUGIN])


@pytest.fixture
def make_pool(countdown: Plugins) -> Callable[..., Pool]:
    """A pool of one worker and one for forks, unless told otherwise."""

    def make(workers: int = 1, **options: Any) -> Pool:
        return Pool(countdown, workers, **options)

    return make


@pytest.fixture
def task() -> Callable[..., Task]:
    """A task of the countdown environment."""

    def make(name: str = "t", env: str = "countdown", **settings: Any) -> Task:
        return Task(env=env, id=name, settings=settings, seed=7)

    return make


def running(pid: int) -> bool:
    """Whether a process is there and no zombie (which, once orphaned, is for the system to clear away)."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")


@pytest.fixture
def gone() -> Callable[[int], bool]:
    """Whether a process disappears; looked up a bounded number of times."""

    def look(pid: int) -> bool:
        for _ in range(200):
            if not running(pid):
                return True
            time.sleep(0.05)
        return False

    return look


@pytest.fixture
def children() -> Callable[[], set[str]]:
    """The process ids of this process's children, zombies included."""

    def list_them() -> set[str]:
        listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,comm="], capture_output=True, text=True, check=True)
        rows = (line.split() for line in listing.stdout.splitlines())
        return {row[0] for row in rows if row[1] == str(os.getpid()) and row[2] != "ps"}

    return list_them
