"""Validation: gold actions must win every task of a suite before anybody is measured on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from cornerman.errors import EpisodeError
from cornerman.paths import cache_root
from cornerman.records import Task
from cornerman.store import write_whole
from cornerman.suites import Suite
from cornerman.workers.session import Sessions


class Validation(msgspec.Struct, frozen=True):
    """How gold fared on one task: `problem` is None when it won within the rules' turns."""

    task: str
    turns: int
    score: float
    problem: str | None = None


async def validate_task(sessions: Sessions, task: Task, max_turns: int) -> Validation:
    """Play a task by gold alone, asking it once at the start."""
    turns, score = 0, 0.0
    try:
        session = await sessions.open(task)
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
    sessions: Sessions, suite: Suite, concurrency: int, done: Callable[[Validation], None] = lambda result: None
) -> list[Validation]:
    """Validate every task of a suite, `concurrency` at a time; `done` is told of each as it ends."""
    gate = asyncio.Semaphore(concurrency)

    async def one(task: Task) -> Validation:
        async with gate:
            result = await validate_task(sessions, task, suite.rules.max_turns)
        done(result)
        return result

    return list(await asyncio.gather(*(one(task) for task in suite.tasks)))


def _mark(suite: Suite, versions: str) -> str:
    return f"{suite.panel[:16]}-{suite.rules_digest[:16]}-{versions}"


def is_validated(suite: Suite, versions: str) -> bool:
    """Whether this machine has seen gold win this suite under these versions."""
    return (cache_root() / "validated" / _mark(suite, versions)).exists()


def mark_validated(suite: Suite, versions: str) -> None:
    """Remember that gold won the whole suite."""
    folder = cache_root() / "validated"
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / _mark(suite, versions), b"")
