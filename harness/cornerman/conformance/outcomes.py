"""Checks of what an environment says of success: gold wins, scores and rewards add up, snapshots return."""

from __future__ import annotations

import json

from cornerman.conformance.report import Failed, NotApplicable, require
from cornerman.conformance.subject import Subject
from cornerman.conformance.walk import TURNS, Walk, clip, same
from cornerman.environment import Step
from cornerman.workers.session import Session

WALKS = 4
NEAR = 1e-6
"""How far sums of rewards may be from scores, by rounding."""


async def follow(session: Session, step: Step, plan: list[str], what: str) -> Step:
    """Play gold actions; each must be admissible where the environment lists them."""
    for turn, action in enumerate(plan):
        if step.terminated:
            break
        if step.admissible is not None and action not in step.admissible:
            raise Failed(f"{what}, gold action {turn + 1} of {len(plan)}, {clip(action)}, is not admissible")
        step = await session.step(action)
    require(step.success, f"{what}, gold played its {len(plan)} actions and did not win (score {step.score:g})")
    return step


async def gold(subject: Subject) -> str:
    """Gold actions win from the start, with the whole score."""
    if subject.spec.gold == "none":
        raise NotApplicable("it declares to have no gold actions")
    session = subject.inline()
    try:
        step = await session.reset()
        plan = await session.gold()
        if plan is None:
            raise Failed("gold knows no way to win from the start")
        step = await follow(session, step, plan, "from the start")
        require(step.score >= 1 - NEAR, f"gold won with a score of {step.score:g}, where 1 was due")
    finally:
        await session.close()
    return f"gold won in {len(plan)} actions"


async def gold_anywhere(subject: Subject) -> str:
    """Gold actions win after random steps too, wherever gold says that there is a way."""
    if subject.spec.gold != "policy":
        raise NotApplicable(f'gold is "{subject.spec.gold}": it owes no answer away from its script')
    won, lost = 0, 0
    for seed in range(WALKS):
        session = subject.inline()
        try:
            walk, step, turns = Walk(seed), await session.reset(), 1 + 2 * seed
            for _ in range(turns):
                step = await still_open(session, step, walk)
            if step.terminated or step.truncated:
                continue
            plan = await session.gold()
            if plan is None:
                lost += 1
                continue
            await follow(session, step, plan, f"after {turns} random actions")
            won += 1
        finally:
            await session.close()
    if not won:
        raise NotApplicable(f"none of {WALKS} random walks left a game that gold says can be won")
    return f"gold won from {won} of {WALKS} random walks" + (f" and gave up {lost}" if lost else "")


async def snapshots(subject: Subject) -> str:
    """A snapshot, through JSON and into another instance, goes on as the game itself does."""
    session, other = subject.inline(), subject.inline()
    try:
        walk, step = Walk(), await session.reset()
        for _ in range(3):
            step = await still_open(session, step, walk)
        kept = await session.snapshot()
        if kept is None:
            raise NotApplicable("it has no snapshots; forks replay their actions")
        text = json.dumps(kept, allow_nan=False)
        await other.reset()
        restored = await other.restore(json.loads(text))
        for field in ("score", "success", "admissible", "goal", "policy", "tools"):
            now, then = getattr(restored, field), getattr(step, field)
            require(now == then, f"{field} after restore is {clip(now)}, at the snapshot it was {clip(then)}")
        further, again = Walk(1), Walk(1)
        after, repeated = [step], [step]
        for _ in range(TURNS):
            after.append(await still_open(session, after[-1], further))
            repeated.append(await still_open(other, repeated[-1], again))
        same(after, repeated, "the game and the snapshot of it")
    finally:
        await session.close()
        await other.close()
    return f"a snapshot of {len(text):,} characters went on as the game did"


async def still_open(session: Session, step: Step, walk: Walk) -> Step:
    """The next step of a walk, or the last one again where the game is over."""
    return step if step.terminated or step.truncated else await session.step(walk.action(step))


async def scores(subject: Subject) -> str:
    """The score stays in 0 to 1, each reward is its increment, and only solving gives success."""
    turns = 0
    for seed in range(WALKS):
        session = subject.inline()
        try:
            walk, step = Walk(seed), await session.reset()
            plan = await session.gold() if seed == 0 and subject.spec.gold != "none" else None
            while turns < TURNS * (seed + 1) and not (step.terminated or step.truncated):
                before = step
                step = await session.step(plan.pop(0) if plan else walk.action(step))
                turns += 1
                gained = step.score - before.score
                require(
                    abs(step.reward - gained) <= NEAR,
                    f"a reward of {step.reward:g} where the score went from {before.score:g} to {step.score:g}; the "
                    "reward is the score's increment",
                )
        finally:
            await session.close()
    return f"in {turns} turns the score stayed in 0 to 1 and every reward was its increment"
