"""Gold's label of the candidates at one state, and whether executing them changes anything: by replay, each afresh."""

from __future__ import annotations

import contextlib
import random
from typing import Any, NamedTuple

from cornerman.engine.restoring import check
from cornerman.environment import EnvironmentSpec, Step
from cornerman.errors import EnvError, EpisodeError
from cornerman.records import Attempt, LogEntry, Record
from cornerman.seeds import derive
from cornerman.staticset.corrupting import corruptions
from cornerman.staticset.items import Kind
from cornerman.staticset.moments import State
from cornerman.talk import retell
from cornerman.workers.session import Session, Sessions
from cornerman.worth.seen import Consistent, Label, compare, consistent, way


class Candidate(NamedTuple):
    """A candidate with what gold and the environment say of it."""

    text: str
    kind: Kind
    label: Label
    seen: Label | None
    changes_state: bool | None


class Labelled(Record, frozen=True, kw_only=True):
    """A state with its labelled candidates, own, gold and corrupted, in this order; the last may be missing."""

    state: State
    suggestion: str
    candidates: tuple[Candidate, ...]


async def label(sessions: Sessions, spec: EnvironmentSpec, state: State, seed: int) -> Labelled | None:
    """Ask gold at one state; None where it has no answer there.

    Raises an `EpisodeError` when the environment cannot be played, or plays otherwise than was recorded.
    """
    session = await sessions.open(state.episode.task, fork=True)
    try:
        step = await walk(session, state.attempt, state.prefix)
        before = await session.gold()
        if not before:
            return None
        best = before[0]
        states = await consistent(session, derive(seed, "consistent", *state.place))
        rng = random.Random(derive(seed, "corrupted", *state.place))
        found = [await judge(session, spec, state, before, state.own, "own", states)]
        found.append(await judge(session, spec, state, before, best, "gold", states))
        if found[1].label != "right":
            return None
        for text in corruptions(best, step, rng):
            wrong = await judge(session, spec, state, before, text, "corrupted", states)
            if wrong.label == "wrong":
                found.append(wrong)
                break
        return Labelled(state=state, suggestion=best, candidates=tuple(found))
    finally:
        with contextlib.suppress(EpisodeError):
            await session.close()


async def judge(
    session: Session,
    spec: EnvironmentSpec,
    state: State,
    before: list[str],
    text: str,
    kind: Kind,
    states: Consistent | None,
) -> Candidate:
    """Execute a candidate in the state, and compare gold's way and the hidden state before and after."""
    step = await walk(session, state.attempt, state.prefix)
    calls = step.tools is not None
    facts = await behind(session, calls)
    step = await session.step(text)
    after = await way(session, step)
    found = compare(before, after)
    if spec.gold == "script" and after is None and kind == "own":
        found = "neutral"  # off the script, gold knows nothing more
    then = None if facts is None else await behind(session, calls)
    seen = None if states is None else await states.label(text, found)
    return Candidate(text, kind, found, seen, None if facts is None or then is None else then != facts)


async def behind(session: Session, calls: bool) -> Any:
    """What an action can change: the facts, of an environment with tools their `state` alone; None where not told.

    Beside the state that its tools work on, such an environment's facts tell the conversation, which all calls change.
    """
    try:
        facts = await session.facts()
    except EnvError:
        return None
    return (facts.get("state") if isinstance(facts, dict) else None) if calls else facts


async def walk(session: Session, attempt: Attempt, prefix: tuple[LogEntry, ...]) -> Step:
    """Reset and play a prefix, every observation checked; the last step."""
    step = await retell(session, await session.reset(), attempt.opening_replies, "at reset")
    check(step, attempt.opening_hash, "at reset")
    for number, entry in enumerate(prefix):
        where = f"after action {number} ({entry.action[:60]!r})"
        step = await retell(session, await session.step(entry.action), entry.replies, where)
        check(step, entry.hash, where)
    return step
