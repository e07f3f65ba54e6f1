"""What a recorded attempt was at a turn: its turns, words and plug-in states, and the environment by replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from cornerman.environment import Step
from cornerman.errors import CriticError, NotReproducible
from cornerman.records import Attempt, ContextItem, Critique, Turn
from cornerman.talk import retell
from cornerman.workers.session import Session, observation_hash


def lineage(attempts: Sequence[Attempt], index: int) -> list[Turn]:
    """All turns of an attempt from reset, those before a retry's start from the attempts that played them."""
    attempt = attempts[index]
    before: list[Turn] = []
    if attempt.start.kind == "turn" and attempt.start.attempt is not None:
        before = lineage(attempts, attempt.start.attempt)[: attempt.start.turn]
    return [*before, *attempt.turns]


def turns_before(attempts: Sequence[Attempt], index: int, turn: int) -> list[Turn]:
    """The first `turn` turns of an attempt; more than it has is the error of whoever asked."""
    turns = lineage(attempts, index)
    if not 0 <= turn <= len(turns):
        raise CriticError(f"attempt {index} has {len(turns)} turns; nothing can start after turn {turn}")
    return turns[:turn]


def root(attempts: Sequence[Attempt], index: int) -> Attempt:
    """The attempt from reset or a prefix that an attempt goes back to."""
    start = attempts[index].start
    return root(attempts, start.attempt) if start.kind == "turn" and start.attempt is not None else attempts[index]


def states_at(attempts: Sequence[Attempt], index: int, turns: Sequence[Turn]) -> dict[str, Any]:
    """Plug-in states as they stood after the given turns of an attempt."""
    states = dict(root(attempts, index).opening_state)
    for turn in turns:
        states |= turn.state
    return states


def critique_ids(turns: Sequence[Turn]) -> set[int]:
    """Ids of the critiques of some turns."""
    return {c.id for t in turns for c in t.critiques}


def words_at(
    attempts: Sequence[Attempt], index: int, turn: int, without: frozenset[int] = frozenset()
) -> list[ContextItem]:
    """The context as it stood when `turn` turns had been played, as if the critiques `without` had not been delivered.

    Words from the review of the next action came in after as many turns; they and those of a decision that an error
    cut off are told by their critiques, which are in none of the turns before.
    """
    context = attempts[index].context
    recorded = {i for n, a in enumerate(attempts) for i in critique_ids(a.turns) | {c.id for c in a.critiques}}
    later = critique_ids(lineage(attempts, index)[turn:])
    unsaid = {i.critique for i in context if i.critique is not None and i.critique not in recorded} | later | without
    by_critique = {i.critique: i for i in context if i.critique is not None}

    def standing(item: ContextItem) -> bool:
        last: ContextItem | None = item
        while last is not None and last.until is not None and last.replaced_by in unsaid:
            last = by_critique.get(last.replaced_by)
        return last is None or last.until is None or last.until > turn

    kept = [i for i in context if i.at <= turn and (i.critique is None or i.critique not in unsaid)]
    return [msgspec.structs.replace(i, until=None, replaced_by=None) if standing(i) else i for i in kept]


def reworded(
    turns: Sequence[Turn], context: Sequence[ContextItem], replaced: Mapping[int, Critique]
) -> tuple[list[Turn], list[ContextItem]]:
    """Turns and context with some critiques in the place of others, by the ids of those."""
    if not replaced:
        return list(turns), list(context)
    turns = [
        msgspec.structs.replace(t, critiques=tuple(replaced.get(c.id, c) for c in t.critiques))
        if any(c.id in replaced for c in t.critiques)
        else t
        for t in turns
    ]
    context = [
        i
        if i.critique is None or i.critique not in replaced
        else msgspec.structs.replace(i, text=replaced[i.critique].text.strip())
        for i in context
    ]
    return turns, context


def unheard(turns: Sequence[Turn], without: frozenset[int]) -> list[Turn]:
    """The turns with some critiques marked as not delivered."""
    if not without & critique_ids(turns):
        return list(turns)
    mark = {"delivered": False, "suppressed": "fork"}
    return [
        msgspec.structs.replace(
            t, critiques=tuple(msgspec.structs.replace(c, **mark) if c.id in without else c for c in t.critiques)
        )
        for t in turns
    ]


async def replay(session: Session, attempt: Attempt, turns: Sequence[Turn]) -> tuple[Step, Step]:
    """Reset and play an attempt's action log up to some turns, checking every observation; the first and last step."""
    opening = step = await retell(session, await session.reset(), attempt.opening_replies, "at reset")
    check(step, attempt.opening_hash, "at reset")
    executed = [t for t in turns if t.executed is not None]
    for turn, entry in zip(executed, attempt.log, strict=False):
        where = f"after turn {turn.index} ({entry.action[:60]!r})"
        step = await retell(session, await session.step(entry.action), entry.replies, where)
        check(step, entry.hash, where)
    return opening, step


def check(step: Step, expected: str, where: str) -> None:
    """Raise `NotReproducible` when an observation is not the recorded one."""
    if observation_hash(step.observation) != expected:
        raise NotReproducible(f"the observation {where} is not the recorded one: {step.observation[:80]!r}")
