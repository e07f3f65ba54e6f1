"""Labels by what was seen beside those of full information, on cases worked out by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from tests.support import boxes

from cornerman.workers.inline import InlineSession
from cornerman.worth.seen import compare, consistent, way


async def labels(coin: str, before: Sequence[str], action: str) -> tuple[str, str]:
    """Both labels of an action after some others."""
    session = InlineSession(boxes.SPEC, boxes.task(coin))
    await session.reset()
    for earlier in before:
        await session.step(earlier)
    ways, states = await session.gold(), await consistent(session, 0)
    assert ways
    assert states is not None
    full = compare(ways, await way(session, await session.step(action)))
    return full, await states.label(action, full)


@pytest.mark.parametrize(
    ("coin", "before", "action", "full", "seen"),
    [
        ("right", [], "open right", "right", "right"),
        ("right", [], "open left", "neutral", "right"),  # two actions left before and after; with the coin there, one
        ("right", ["open left"], "open left", "neutral", "neutral"),  # it is known to be empty by now
        ("right", [], "smash left", "wrong", "right"),  # lost, and by what was seen it might have won
        ("right", ["open left"], "smash left", "wrong", "wrong"),
        ("left", [], "lock left", "wrong", "neutral"),  # three actions left instead of two; with the coin right, two
        ("left", ["open left"], "lock left", "neutral", "neutral"),  # open is open
        ("right", [], "wait", "neutral", "neutral"),
        ("right", [], "door", "wrong", "wrong"),  # away from wherever it is
        ("left", ["door"], "door", "right", "right"),
    ],
)
def test_labels_worked_out_by_hand(coin: str, before: list[str], action: str, full: str, seen: str) -> None:
    assert asyncio.run(labels(coin, before, action)) == (full, seen)
