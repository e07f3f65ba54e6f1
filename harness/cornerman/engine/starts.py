"""Opening branches: from reset, from turn k of a recorded attempt, or after a given prefix.

A branch that starts from a turn gets there by replaying the recorded actions with every observation's hash checked; a
mismatch is `not_reproducible`. Its words and plug-in states are restored from the record, and randomness follows from
the place: the same path draws the same numbers again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cornerman.engine.attempt import ended
from cornerman.engine.branch import Branch
from cornerman.engine.context import Scope
from cornerman.engine.method import Method
from cornerman.engine.observing import observe
from cornerman.engine.restoring import replay, states_at, turns_before, unheard, words_at
from cornerman.engine.user import advance, settled
from cornerman.environment import Step
from cornerman.errors import CriticError, End
from cornerman.records import Attempt, AttemptSpec, ContextItem, Turn
from cornerman.workers.session import Session


async def open_branch(
    scope: Scope, method: Method, session: Session, spec: AttemptSpec, index: int, path: str
) -> tuple[Branch, End | None]:
    """A branch at the start that the spec names; an end when what was played before ended the attempt already."""
    start = spec.start
    if start.kind != "turn":
        return await from_reset(scope, method, session, spec, index, path)
    if start.attempt is None or not 0 <= start.attempt < len(scope.attempts):
        raise CriticError(f"an attempt was planned from attempt {start.attempt}, which does not exist")
    return await from_turn(scope, session, spec, index, path, scope.attempts)


def make(scope: Scope, session: Session, spec: AttemptSpec, index: int, path: str, opening: Step, step: Step) -> Branch:
    """A branch without history."""
    branch = Branch(scope=scope, session=session, index=index, path=path, spec=spec, step=step, opening=opening)
    branch.open(opening, step)
    return branch


async def from_reset(
    scope: Scope, method: Method, session: Session, spec: AttemptSpec, index: int, path: str
) -> tuple[Branch, End | None]:
    """Reset and play the prefix, if one is given; its actions count as turns of synthetic origin."""
    first = await session.reset()
    branch = make(scope, session, spec, index, path, first, first)
    branch.restore_states(scope.states)
    opening, branch.opening_user = await settled(branch, method, first)
    branch.open(opening, opening)
    branch.context = [*scope.carried]
    branch.opening_delivered = await observe(branch, method, branch.opening.observation)
    branch.opening_state = scope.states | branch.changed_states()
    end = None
    for action in spec.start.prefix if spec.start.kind == "prefix" else ():
        end = await synthetic(branch, method, action)
        if end is not None:
            break
    branch.context += carried(spec.context, branch)
    return branch, end


async def synthetic(branch: Branch, method: Method, action: str) -> End | None:
    """Play one action of a prefix. No critic speaks; the actor sees the outcome as it sees any other."""
    listed = branch.step.admissible
    branch.begin("decision")
    step, user = await advance(branch, method, action)
    branch.turns.append(
        Turn(
            index=branch.turn,
            origin="synthetic",
            admissible_actions=listed,
            executed=action,
            admissible=None if listed is None else action in listed,
            user=user,
            observation=step.observation,
            reward=step.reward,
            score=step.score,
            terminated=step.terminated,
        )
    )
    branch.begin("outcome")
    end = ended(step)
    branch.delivered = step.observation
    shown = await observe(branch, method, step.observation) if end is None else None
    branch.amend(delivered=shown, state=branch.changed_states())
    return end


def carried(items: Sequence[ContextItem], branch: Branch) -> list[ContextItem]:
    """A spec's words as they come in at the start of its attempt, less those that stand in the context already."""
    there = {i.critique for i in branch.active_context()} - {None}
    return [
        msgspec.structs.replace(i, at=branch.turn, until=None, replaced_by=None)
        for i in items
        if i.critique not in there
    ]


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
    number = spec.start.attempt
    assert number is not None
    parent = attempts[number]
    turns = turns_before(attempts, number, spec.start.turn)
    opening, step = await replay(session, parent, turns)
    if spec.parent is None:
        spec = msgspec.structs.replace(spec, parent=number)
    branch = make(scope, session, spec, index, path, opening, step)
    branch.opening_user, branch.opening_delivered = parent.opening_user, parent.opening_delivered
    branch.turns, branch.base = unheard(turns, without), len(turns)
    branch.log = list(parent.log[: sum(t.executed is not None for t in turns)])
    branch.context = words_at(attempts, number, len(turns), without)
    branch.context += carried(spec.context, branch)
    branch.restore_states(states_at(attempts, number, turns))
    branch.requests = sum(t.kind == "request" for t in turns)
    last = next((t for t in reversed(turns) if t.executed is not None), None)
    if last is not None:
        branch.delivered = last.shown
    elif branch.opening_delivered is not None:
        branch.delivered = branch.opening_delivered
    return branch, ended(step)
