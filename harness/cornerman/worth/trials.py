"""Actions tried at a recorded moment: what the environment answers, and what gold says of each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from cornerman.engine.restoring import lineage, replay
from cornerman.errors import EnvError, EpisodeError
from cornerman.records import Episode, Record
from cornerman.seeds import derive
from cornerman.workers.session import Session, Sessions
from cornerman.worth.drawing import key
from cornerman.worth.places import Place
from cornerman.worth.seen import Consistent, Label, compare, consistent, way


class Tried(Record, frozen=True, kw_only=True):
    """One action. `full` is its label in the real state, `seen` that by what was seen, None where it is not known.

    `left`: how many actions gold's way has after it; None where there is none.
    """

    answer: str
    full: Label | None = None
    seen: Label | None = None
    left: int | None = None


class Trials(Record, frozen=True, kw_only=True):
    """What was tried at one moment. `best`: what gold does there, None where it has no answer."""

    best: str | None
    actions: dict[str, Tried]


async def try_out(
    sessions: Sessions, episode: Episode, place: Place, actions: Iterable[str], gold: bool, seed: int
) -> Trials | None:
    """Execute each action at a moment, from the state afresh; None where that cannot be played again.

    gold: whether the environment has gold actions from any state. `seed` is that of the consistent states.
    """
    attempt = episode.attempts[place.attempt]
    turns = lineage(episode.attempts, place.attempt)[: place.turn]
    found: dict[str, Tried] = {}
    before: list[str] | None = None
    states: Consistent | None = None
    try:
        session = await sessions.open(episode.task, fork=True)
        try:
            for number, action in enumerate(dict.fromkeys(actions)):
                await replay(session, attempt, turns)
                if gold and not number:
                    before = await session.gold()
                    states = await consistent(session, derive(seed, "consistent", *key(place))) if before else None
                found[action] = await tried(session, action, before, states)
        finally:
            with contextlib.suppress(EnvError):  # a failing close changes nothing in what was seen
                await session.close()
    except EpisodeError:
        return None
    return Trials(best=before[0] if before else None, actions=found)


async def tried(session: Session, action: str, before: list[str] | None, states: Consistent | None) -> Tried:
    """One action at a moment. before: gold's way there, if any; states: what else could be so."""
    step = await session.step(action)
    if not before:
        return Tried(answer=step.observation)
    after = await way(session, step)
    full = compare(before, after)
    return Tried(
        answer=step.observation,
        full=full,
        seen=None if states is None else await states.label(action, full),
        left=None if after is None else len(after),
    )
