"""The state of an item as a critic sees it: played from reset, with nothing of who played it before."""

from __future__ import annotations

from cornerman.engine.branch import Branch
from cornerman.engine.context import Scope
from cornerman.engine.restoring import check
from cornerman.engine.starts import make
from cornerman.environment import Step
from cornerman.records import AttemptSpec, Start, Turn
from cornerman.staticset.items import Item
from cornerman.talk import retell
from cornerman.workers.session import Session


async def restore(scope: Scope, session: Session, item: Item) -> Branch:
    """A branch at the decision on an item, its observations checked. Raises `NotReproducible` where one differs.

    Every item draws random numbers of its own, also where two of them share a state.
    """
    opening = await retell(session, await session.reset(), item.opening_replies, "at reset")
    check(opening, item.opening_hash, "at reset")
    start = Start(kind="prefix", prefix=tuple(e.action for e in item.prefix))
    branch = make(scope, session, AttemptSpec(start=start), 0, f"item{item.id}", opening, opening)
    for entry in item.prefix:
        before = branch.step
        where = f"after turn {branch.turn} ({entry.action[:60]!r})"
        step = await retell(session, await session.step(entry.action), entry.replies, where)
        check(step, entry.hash, where)
        branch.turns.append(played(branch, before, entry.action, step))
        branch.log.append(entry)
        branch.step, branch.delivered = step, step.observation
    branch.begin("decision")
    return branch


def played(branch: Branch, before: Step, action: str, step: Step) -> Turn:
    """A turn of the prefix."""
    listed = before.admissible
    return Turn(
        index=branch.turn,
        origin="replayed",
        admissible_actions=listed,
        executed=action,
        admissible=None if listed is None else action in listed,
        observation=step.observation,
        reward=step.reward,
        score=step.score,
        terminated=step.terminated,
    )
