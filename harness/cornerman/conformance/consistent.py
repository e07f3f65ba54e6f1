"""The check of states that fit what was seen: they look like the real one, and asking for them changes nothing."""

from __future__ import annotations

import json
from typing import Any

from cornerman.conformance.outcomes import WALKS, still_open
from cornerman.conformance.report import Failed, NotApplicable, require
from cornerman.conformance.subject import Subject
from cornerman.conformance.walk import Walk, clip
from cornerman.workers.session import Session

NUMBER = 8
"""States asked for at a moment."""


async def consistent(subject: Subject) -> str:
    """What an agent is shown in each of them is what it is shown, after walks of different lengths."""
    found, others = 0, 0
    for seed in range(WALKS):
        session, other = subject.inline(), subject.inline()
        try:
            walk, step = Walk(seed), await session.reset()
            for _ in range(1 + 2 * seed):
                step = await still_open(session, step, walk)
            states = await asked(session, seed)
            if states is None:
                raise NotApplicable("it knows of no states that fit what was seen; labels by full information only")
            own = await session.snapshot()
            require(own is not None or not states, "it lists states and has no snapshots")
            await other.reset()
            real = await other.restore(own) if own is not None else step
            for state in states:
                restored = await other.restore(json.loads(json.dumps(state, allow_nan=False)))
                for field in ("observation", "admissible", "success", "goal"):
                    now, then = getattr(restored, field), getattr(real, field)
                    require(now == then, f"in a state that fits {field} is {clip(now)}, in the real one {clip(then)}")
                others += state != own
            found += len(states)
        finally:
            await session.close()
            await other.close()
    if not found:
        return "nothing is hidden: the real state is the only one"
    return f"{found} states that fit {WALKS} random walks, {others} of them others than the real one, look like it"


async def asked(session: Session, seed: int) -> list[Any] | None:
    """The states of a moment: as many as asked for at most, the same for the same seed, and the game left as it was."""
    before = await session.snapshot()
    states = await session.consistent_states(NUMBER, seed)
    if states is not None and len(states) > NUMBER:
        raise Failed(f"{len(states)} states came where at most {NUMBER} were asked for")
    require(await session.snapshot() == before, "asking for states that fit changed the game")
    require(await session.consistent_states(NUMBER, seed) == states, "the same seed gave other states that fit")
    return states
