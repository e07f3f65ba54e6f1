"""Checks of chance: the same seed gives the same answers everywhere, another one others, and nobody else's is drawn."""

from __future__ import annotations

import itertools
import random

import msgspec
import numpy as np

from cornerman.conformance.report import Failed, NotApplicable, require
from cornerman.conformance.subject import Subject
from cornerman.conformance.walk import Walk, difference, same, walk_alone
from cornerman.environment import Step
from cornerman.records import Task
from cornerman.workers.session import Session

SEEDS = 4
"""Walks to compare; also how many other seeds or tasks are tried before they count as all the same."""


async def repeats(subject: Subject) -> str:
    """The same task and seed, twice in this process, answer the same; within one instance after a reset too."""
    for seed in range(SEEDS):
        first = await walk_alone(subject.inline(), seed)
        same(first, await walk_alone(subject.inline(), seed), "the same task in two instances")
    session = subject.inline()
    try:
        one, two = await walk_again(session), await walk_again(session)
    finally:
        await session.close()
    same(one, two, "one instance that is reset after being played")
    return f"{SEEDS} random walks of the same task gave the same answers twice, and again after a reset"


async def walk_again(session: Session) -> list[Step]:
    """A walk in a session that stays open."""
    walk, steps = Walk(), [await session.reset()]
    while len(steps) < SEEDS and not (steps[-1].terminated or steps[-1].truncated):
        steps.append(await session.step(walk.action(steps[-1])))
    return steps


async def other_process(subject: Subject) -> str:
    """A worker process answers what this one answers; hash seeds and caches differ there."""
    for seed in range(2):
        here = await walk_alone(subject.inline(), seed)
        there = await walk_alone(await subject.elsewhere(), seed)
        same(here, there, "here and in a worker process")
    return "a worker process gave the same answers as this one"


async def distinct(subject: Subject) -> str:
    """Other seeds make another game where the seed counts, other tasks do everywhere."""
    here = await walk_alone(subject.inline())
    if subject.spec.seedable:
        if not await any_differs(subject, here, reseeded(subject.task)):
            raise Failed(
                f"{SEEDS} other seeds of task {subject.task.id} gave the same answers; use the seed that reset is "
                "given, or declare the environment with seedable=False"
            )
        return "another seed gave another game"
    if not subject.others:
        raise NotApplicable("it declares itself unseedable, and there is no other task to compare with")
    require(await any_differs(subject, here, list(subject.others)), f"{len(subject.others)} other tasks are the same")
    return "it declares itself unseedable; another task gave another game"


def reseeded(task: Task) -> list[Task]:
    """The task under other seeds; the digest of its data belongs to its own."""
    return [msgspec.structs.replace(task, seed=task.seed + n, data=None) for n in range(1, SEEDS + 1)]


async def any_differs(subject: Subject, here: list[Step], tasks: list[Task]) -> bool:
    """Whether one of some tasks is played otherwise; in a worker, since one of them may end its process."""
    for task in tasks:
        if difference(here, await walk_alone(await subject.elsewhere(task))) is not None:
            return True
    return False


async def isolation(subject: Subject) -> str:
    """Two instances stepped in turn answer what each answers alone."""
    tasks = [subject.task, *subject.others[:1]] if subject.others else [subject.task, subject.task]
    await walk_alone(await subject.elsewhere(tasks[1]))
    alone = [await walk_alone(subject.inline(task), seed) for seed, task in enumerate(tasks)]
    sessions = [subject.inline(task) for task in tasks]
    try:
        walks = [Walk(seed) for seed in range(len(sessions))]
        together = [[await session.reset()] for session in sessions]
        for turn, (session, walk, steps) in itertools.product(
            range(1, max(map(len, alone))), zip(sessions, walks, together, strict=True)
        ):
            if len(steps) == turn and not (steps[-1].terminated or steps[-1].truncated):
                steps.append(await session.step(walk.action(steps[-1])))
    finally:
        for session in sessions:
            await session.close()
    for one, other in zip(alone, together, strict=True):
        same(one, other[: len(one)], "alone and beside another instance")
    return "two instances stepped in turn answered what each answered alone"


async def global_random(subject: Subject) -> str:
    """Nothing that the environment does moves the generators of `random` and `numpy.random`."""
    session = subject.inline()
    try:
        step = await session.reset()
        walk = Walk()
        for _ in range(SEEDS):
            if step.terminated or step.truncated:
                break
            step = await session.step(walk.action(step))
        if subject.spec.gold != "none":
            await session.gold()
    finally:
        await session.close()
    moved = [name for name, state in generators().items() if state != subject.generators[name]]
    require(
        not moved,
        f"it drew from or seeded the global generator of {' and '.join(moved)}; draw from self.np_random, or from "
        "cornerman.seeds.generator",
    )
    return "the global generators of random and numpy stand where they stood"


def generators() -> dict[str, str]:
    """Where the global generators stand."""
    name, keys, position, has_gauss, gauss = np.random.get_state()
    return {
        "random": repr(random.getstate()),
        "numpy.random": repr((name, np.asarray(keys).tobytes(), position, has_gauss, gauss)),
    }
