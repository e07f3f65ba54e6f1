"""Random walks through an environment, and how two of them differ."""

from __future__ import annotations

import random
from collections.abc import Sequence

from cornerman.conformance.report import Failed
from cornerman.environment import EnvironmentSpec, Step
from cornerman.records import Task
from cornerman.workers.inline import InlineSession
from cornerman.workers.session import Session

TURNS = 15
"""Length of a walk."""
WORDS = ("look", "help", "inventory", "wait", "north", "1")
"""What is said where an environment lists no admissible actions."""


class Walk:
    """A walker of its own seed: the same seed takes the same actions where the same ones are listed."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)

    def action(self, step: Step) -> str:
        """The next action."""
        return self._rng.choice(step.admissible or WORDS)


async def walked(session: Session, seed: int = 0, turns: int = TURNS) -> list[Step]:
    """The opening and the answers of a walk; it ends with the task."""
    walk, steps = Walk(seed), [await session.reset()]
    while len(steps) <= turns and not (steps[-1].terminated or steps[-1].truncated):
        steps.append(await session.step(walk.action(steps[-1])))
    return steps


async def walk_alone(session: Session, seed: int = 0, turns: int = TURNS) -> list[Step]:
    """A walk in a session that is closed after it."""
    try:
        return await walked(session, seed, turns)
    finally:
        await session.close()


def opened(spec: EnvironmentSpec, task: Task) -> InlineSession:
    """A session in this process, whatever the environment says of itself."""
    return InlineSession(spec, task)


def difference(first: Sequence[Step], second: Sequence[Step]) -> str | None:
    """Where and in what two walks part first, or None."""
    for turn, (one, other) in enumerate(zip(first, second, strict=False)):
        for field in Step.__struct_fields__:
            a, b = getattr(one, field), getattr(other, field)
            if a != b:
                where = f"after turn {turn}" if turn else "of the opening"
                return f"{field} {where} is {' and then '.join(parted(a, b))}"
    return None if len(first) == len(second) else f"one ends after {len(first) - 1} turns, the other {len(second) - 1}"


def same(first: Sequence[Step], second: Sequence[Step], what: str) -> None:
    """Fail where two walks differ."""
    found = difference(first, second)
    if found is not None:
        raise Failed(f"{what}: {found}")


def parted(a: object, b: object) -> tuple[str, str]:
    """Two values in a sentence; of long texts what stands around the place where they part."""
    if isinstance(a, str) and isinstance(b, str):
        common = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        if common > 40:
            return f"…{clip(a[common - 20 :])}", f"…{clip(b[common - 20 :])}"
    return clip(a), clip(b)


def clip(value: object, most: int = 120) -> str:
    """A value in a sentence."""
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}…"
