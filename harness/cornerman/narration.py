"""What happened in a recorded attempt, in order. A terminal and a page tell it each in its own way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from cornerman.records import Attempt, Candidate, ContextItem, Critique, Request, Turn, UserReply


class Event(NamedTuple):
    """One thing that happened in a turn.

    action, nothing and observation are about the turn itself: what was executed, that nothing was, and what came of it.
    """

    kind: Literal["candidate", "request", "critique", "revision", "action", "nothing", "user", "observation"]
    about: Candidate | Request | Critique | UserReply | Turn


def events(turn: Turn) -> Iterator[Event]:
    """What happened in a turn: offers, what was said of them, the action, what came of it, what was said of that."""
    for candidate in turn.candidates:
        yield Event("candidate", candidate)
    if turn.request is not None:
        yield Event("request", turn.request)
    before = [c for c in turn.critiques if c.moment != "review_turn"]
    first = [c for c in before if c.candidate is None or c.candidate < len(turn.candidates)]
    for critique in first:
        yield Event("critique", critique)
    for revision in turn.revisions:
        yield Event("revision", revision)
    for critique in [c for c in before if c not in first]:
        yield Event("critique", critique)
    if turn.executed is not None:
        yield Event("action", turn)
        for reply in turn.user:
            yield Event("user", reply)
        yield Event("observation", turn)
    elif turn.kind == "act":
        yield Event("nothing", turn)
    for critique in turn.critiques:
        if critique.moment == "review_turn":
            yield Event("critique", critique)


def spoken(attempt: Attempt) -> dict[int, Critique]:
    """Every critique of an attempt by its id: those of its turns and those at its end."""
    return {c.id: c for c in (*(c for t in attempt.turns for c in t.critiques), *attempt.critiques)}


def words_at(attempt: Attempt, turn: int) -> list[ContextItem]:
    """Words that came into the actor's context before a turn and are no critique of this attempt.

    They are those of a memory, a protocol, the engine, or of critics at an earlier attempt's end.
    """
    own = spoken(attempt)
    return [i for i in attempt.context if i.at == turn and (i.critique is None or i.critique not in own)]
