"""Validation: gold actions must win every task of a suite before anybody is measured on it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec

import cornerman
from cornerman.engine.settings import parse_plugin
from cornerman.engine.user import Accompany
from cornerman.errors import EpisodeError, UsageError
from cornerman.manifest import environment_versions
from cornerman.paths import cache_root
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.registry import Registry
from cornerman.store import write_whole
from cornerman.suites import Suite, digest_of
from cornerman.workers.session import Sessions


class Validation(msgspec.Struct, frozen=True):
    """How gold fared on one task: `problem` is None when it won within the rules' turns."""

    task: str
    turns: int
    score: float
    problem: str | None = None


async def validate_task(sessions: Sessions, task: Task, max_turns: int, accompany: Accompany) -> Validation:
    """Play a task by gold alone, asking it once at the start."""
    turns, score = 0, 0.0
    try:
        session = accompany(task, await sessions.open(task))
        try:
            step = await session.reset()
            gold = await session.gold()
            if gold is None:
                return Validation(task.id, 0, step.score, "gold knows no way to win from the start")
            for action in gold:
                if step.admissible is not None and action not in step.admissible:
                    return Validation(task.id, turns, step.score, f"gold action {action!r} is not admissible")
                step = await session.step(action)
                turns, score = turns + 1, step.score
                if step.terminated:
                    break
        finally:
            await session.close()
    except EpisodeError as error:
        return Validation(task.id, turns, score, str(error))
    if not step.success:
        return Validation(task.id, turns, score, f"gold played {turns} turns and did not win")
    if turns > max_turns:
        return Validation(task.id, turns, score, f"gold needs {turns} turns, the rules allow {max_turns}")
    return Validation(task.id, turns, score)


async def validate(
    sessions: Sessions,
    suite: Suite,
    concurrency: int,
    done: Callable[[Validation], None] = lambda result: None,
    accompany: Accompany = lambda task, session: session,
) -> list[Validation]:
    """Validate every task of a suite, `concurrency` at a time; `done` is told of each as it ends.

    `accompany` sets the user of the suite's rules beside each environment.
    """
    gate = asyncio.Semaphore(concurrency)

    async def one(task: Task) -> Validation:
        async with gate:
            result = await validate_task(sessions, task, suite.rules.max_turns, accompany)
        done(result)
        return result

    return list(await asyncio.gather(*(one(task) for task in suite.tasks)))


def check_user(registry: Registry, suite: Suite) -> None:
    """Raise where an environment of the suite talks to a user and the rules name none."""
    for env in sorted({t.env for t in suite.tasks}):
        if suite.rules.user is None and registry.get("environment", env).load().user:
            raise UsageError(
                f"suite '{suite.name}' cannot be played: {env} talks to a user, and the suite's rules name none; "
                'name one, as in Rules(user="scripted-user")'
            )


def winnable(registry: Registry, suite: Suite) -> Suite:
    """The tasks of a suite whose environments know gold actions; the others cannot be validated."""
    silent = {env for env in {t.env for t in suite.tasks} if registry.get("environment", env).load().gold == "none"}
    return msgspec.structs.replace(suite, tasks=tuple(t for t in suite.tasks if t.env not in silent))


class Mark:
    """The note that this machine has seen gold win a suite: its tasks, its rules, and the code that plays them.

    The code is known by the versions of Cornerman and of what its environments name, and by the content of the plug-in
    files that they come from.
    """

    def __init__(self, plugins: Plugins, suite: Suite) -> None:
        played = [plugins.registry.get("environment", name) for name in sorted({task.env for task in suite.tasks})]
        if suite.rules.user is not None:
            played.append(plugins.registry.get("user", parse_plugin(suite.rules.user, "the suite's user").use))
        origins = {entry.origin for entry in played}
        files = [Path(f) for f in plugins.files if f in origins]
        code = {
            "cornerman": cornerman.__version__,
            "environments": environment_versions(plugins, suite),
            "files": [hashlib.sha256(f.read_bytes()).hexdigest() if f.is_file() else str(f) for f in files],
        }
        name = f"{suite.panel[:16]}-{suite.rules_digest[:16]}-{digest_of(code)[:12]}"
        self._path = cache_root() / "validated" / name

    def is_set(self) -> bool:
        """Whether it is there."""
        return self._path.exists()

    def set(self) -> None:
        """Make it. Where the cache cannot be written, the next run validates again."""
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, b"")
