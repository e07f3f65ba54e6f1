"""Opening branches: from reset, from turn k of a recorded attempt, or after a given prefix.

A branch that does not start at reset gets there by replaying the recorded actions with every observation's hash
checked; a mismatch is `not_reproducible`. Its words and plug-in states are restored from the record, and randomness
follows from the place: the same path draws the same numbers again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.context import Scope
from cornerman.environment import Step
from cornerman.errors import CriticError, End, NotReproducible
from cornerman.records import Attempt, AttemptSpec, ContextItem, LogEntry, Turn
from cornerman.workers.session import Session, observation_hash


def check(step: Step, expected: str, where: str) -> None:
    """Raise `NotReproducible` when an observation is not the recorded one."""
    if observation_hash(step.observation) != expected:
        raise NotReproducible(f"the observation {where} is not the recorded one: {step.observation[:80]!r}")


async def replay(session: Session, opening_hash: str, log: Sequence[LogEntry]) -> tuple[Step, Step]:
    """Reset and replay a recorded action log, checking every observation; answers the first and the last step."""
    opening = step = await session.reset()
    check(opening, opening_hash, "at reset")
    for number, entry in enumerate(log):
        step = await session.step(entry.action)
        check(step, entry.hash, f"after turn {number} ({entry.action[:60]!r})")
    return opening, step


def lineage(attempts: Sequence[Attempt], index: int, turn: int) -> list[Turn]:
    """The first `turn` turns that stood before an attempt's later ones, through its parents where it was a retry."""
    attempt = attempts[index]
    before: list[Turn] = []
    if attempt.start.kind == "turn" and attempt.start.attempt is not None:
        before = lineage(attempts, attempt.start.attempt, attempt.start.turn)
    elif attempt.start.kind == "prefix":
        before = [Turn(index=i, origin="synthetic", executed=a) for i, a in enumerate(attempt.start.prefix)]
    turns = [*before, *attempt.turns]
    if turn > len(turns):
        raise CriticError(f"attempt {index} has {len(turns)} turns; nothing can start after turn {turn}")
    return turns[:turn]


def states_at(attempt: Attempt, turns: Sequence[Turn]) -> dict[str, Any]:
    """Plug-in states as they stood after the given turns of an attempt."""
    states: dict[str, Any] = {}
    for turn in turns:
        states |= turn.state
    return states


def words_at(attempt: Attempt, turn: int, without: frozenset[int] = frozenset()) -> list[ContextItem]:
    """The context as it stood when `turn` turns had been played, less some critiques' words."""
    kept = []
    for item in attempt.context:
        if item.at > turn or item.critique in without:
            continue
        gone = item.until is not None and item.until <= turn
        kept.append(item if gone else msgspec.structs.replace(item, until=None))
    return kept


async def open_branch(
    scope: Scope, session: Session, spec: AttemptSpec, index: int, path: str
) -> tuple[Branch, End | None]:
    """A branch at the start that the spec names; an end when the replayed prefix already ended the attempt."""
    start = spec.start
    if start.kind == "reset":
        opening = await session.reset()
        branch = make(scope, session, spec, index, path, opening, opening)
        branch.context = list(spec.context)
        branch.restore_states(scope.states)
        return branch, None
    if start.kind == "prefix":
        return await after_prefix(scope, session, spec, index, path)
    if start.attempt is None or not 0 <= start.attempt < len(scope.attempts):
        raise CriticError(f"an attempt was planned from attempt {start.attempt}, which does not exist")
    return await from_turn(scope, session, spec, index, path, scope.attempts)


def make(scope: Scope, session: Session, spec: AttemptSpec, index: int, path: str, opening: Step, step: Step) -> Branch:
    """A branch without history."""
    return Branch(
        scope=scope,
        session=session,
        index=index,
        path=path,
        spec=spec,
        step=step,
        opening=opening,
        delivered=step.observation,
    )


async def after_prefix(
    scope: Scope, session: Session, spec: AttemptSpec, index: int, path: str
) -> tuple[Branch, End | None]:
    """Play given actions before the first decision; they count as turns of synthetic origin."""
    from cornerman.engine.attempt import ended

    opening = step = await session.reset()
    branch = make(scope, session, spec, index, path, opening, step)
    branch.context = list(spec.context)
    branch.restore_states(scope.states)
    for action in spec.start.prefix:
        before, step = step, await session.step(action)
        branch.log_step(action, step)
        branch.turns.append(
            Turn(
                index=branch.turn,
                origin="synthetic",
                admissible_actions=before.admissible,
                executed=action,
                admissible=None if before.admissible is None else action in before.admissible,
                observation=step.observation,
                reward=step.reward,
                score=step.score,
                terminated=step.terminated,
            )
        )
        branch.delivered = step.observation
        if ended(step) is not None:
            break
    return branch, ended(step)


async def from_turn(
    scope: Scope,
    session: Session,
    spec: AttemptSpec,
    index: int,
    path: str,
    attempts: Sequence[Attempt],
    without: frozenset[int] = frozenset(),
) -> tuple[Branch, End | None]:
    """Restore the state after turn k of a recorded attempt: environment, turns, words and plug-in states."""
    from cornerman.engine.attempt import ended

    number = spec.start.attempt
    assert number is not None
    parent = attempts[number]
    turns = lineage(attempts, number, spec.start.turn)
    executed = sum(t.executed is not None for t in turns)
    opening, step = await replay(session, parent.opening_hash, parent.log[:executed])
    branch = make(scope, session, spec, index, path, opening, step)
    branch.opening_delivered = parent.opening_delivered
    branch.turns = list(turns)
    branch.base = len(turns)
    branch.log = list(parent.log[:executed])
    branch.context = [*words_at(parent, len(turns), without), *spec.context]
    branch.restore_states(states_at(parent, turns))
    branch.requests = sum(t.kind == "request" for t in turns)
    last = next((t for t in reversed(turns) if t.executed is not None), None)
    branch.delivered = branch.opening_delivered or opening.observation if last is None else last.shown
    return branch, ended(step)
