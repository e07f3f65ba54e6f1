"""The environment under test: its specification, the task that is played, and where it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from cornerman.conformance.walk import opened
from cornerman.engine.user import Accompany
from cornerman.environment import EnvironmentSpec, TextEnv
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.registry import Registry
from cornerman.workers.pool import Pool
from cornerman.workers.session import Session

RESET_SECONDS, STEP_SECONDS = 300.0, 30.0


@dataclass(frozen=True)
class Subject:
    """What every check of an environment is given. `others` are more tasks of it; `pool` are worker processes;
    `generators` is where Python's and NumPy's global generators stood before anything was made; `accompany` sets the
    user beside it who answers where it talks to one."""

    spec: EnvironmentSpec
    task: Task
    others: tuple[Task, ...]
    pool: Pool
    generators: dict[str, str]
    accompany: Accompany

    def inline(self, task: Task | None = None) -> Session:
        """A session in this process, whatever the environment says of itself."""
        return self.accompany(task or self.task, opened(self.spec, task or self.task))

    async def elsewhere(self, task: Task | None = None) -> Session:
        """A session in a worker process, whatever the environment says of itself."""
        return self.accompany(task or self.task, await self.alone(task))

    async def alone(self, task: Task | None = None) -> Session:
        """The same, with nobody to answer for the user."""
        return await self.pool.open(task or self.task)

    def make(self) -> TextEnv:
        """The bare environment, in this process."""
        env = self.spec.make(self.task).unwrapped
        assert isinstance(env, TextEnv)  # `opens` has seen to it
        return env


def worker_pool(plugins: Plugins, spec: EnvironmentSpec) -> Pool:
    """One worker process that also takes the environment when it declares itself light."""
    registry = Registry()
    made: Any = msgspec.structs.replace(spec, light=False)
    registry.add("environment", spec.id, made)
    return Pool(
        Plugins(registry=registry, files=plugins.files), 1, reset_seconds=RESET_SECONDS, step_seconds=STEP_SECONDS
    )
