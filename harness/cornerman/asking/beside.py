"""The environment beside a recorded episode, where it is at hand."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from cornerman.engine.instance import Instance
from cornerman.errors import CornermanError, EpisodeError, UsageError
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.workers.pool import Pool
from cornerman.workers.session import Session

ONLY_PLAYED = frozenset({"gold", "hidden"})
"""Fields that no record holds: they are asked of the environment."""


@contextlib.asynccontextmanager
async def beside(
    plugins: Plugins, pool: Pool, task: Task, critic: Instance, replay: bool, remarks: list[str]
) -> AsyncIterator[Session | None]:
    """The environment of a task, or None where it is not at hand and the critic can do without it."""
    session: Session | None = None
    try:
        if not replay:
            raise UsageError("--no-replay was given")
        entry = plugins.registry.get("environment", task.env)
        if entry.unset:
            raise UsageError(f"it needs {', '.join(entry.unset)}")
        session = await pool.open(task)
    except CornermanError as error:
        owed = sorted(ONLY_PLAYED & (critic.sees | critic.uses))
        if owed:
            raise UsageError(
                f"critic '{critic.label}' sees {' and '.join(owed)}, which only the environment {task.env} knows, and "
                f"it cannot be played here: {error}"
            ) from error
        if replay and not task.env.startswith("imported/"):
            remarks.append(f"From the record, since {task.env} cannot be played here: {error}")
        if "policy" in critic.sees:
            remarks.append("The domain's rules and tools are not recorded: view.policy is empty.")
    try:
        yield session
    finally:
        if session is not None:
            with contextlib.suppress(EpisodeError):
                await session.close()
