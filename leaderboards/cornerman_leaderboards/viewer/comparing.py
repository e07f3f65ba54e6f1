"""Two episodes of one task side by side: the turns that they share, and the first thing that is different."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cornerman.narration import words_at
from cornerman.records import Attempt, Episode, Turn
from cornerman_leaderboards.web.conversation import Conversation, TurnShown

ASPECTS: dict[str, Callable[[Attempt, Turn], object]] = {
    "the words that the actor had been told": lambda a, t: [i.text for i in words_at(a, t.index)],
    "what the actor offers": lambda a, t: [c.text for c in t.candidates] or t.request,
    "what critics told the actor": lambda a, t: [c.text for c in t.critiques if c.delivered],
    "the action": lambda a, t: t.executed,
    "what came of it": lambda a, t: (t.shown, t.terminated),
}
"""What of a turn is compared, in the order in which it happens. What a critic said to nobody changes nothing."""


@dataclass(frozen=True)
class Step:
    """A turn with the attempt that it belongs to."""

    attempt: Attempt
    shown: TurnShown


@dataclass(frozen=True)
class Compared:
    """`same` steps of the left episode are those of the right one too; then each goes on in its own way.

    `what` is the first thing that differs, None where nothing does.
    """

    same: Sequence[Step]
    rest: Sequence[tuple[Step | None, Step | None]]
    what: str | None


def compare(left: Conversation, right: Conversation) -> Compared:
    """Where two episodes part."""
    a, b = steps(left), steps(right)
    if opening(left.episode) != opening(right.episode):
        return Compared([], list(itertools.zip_longest(a, b)), "how the task begins")
    for at, (x, y) in enumerate(zip(a, b, strict=False)):
        what = difference(x, y)
        if what is not None:
            return Compared(a[:at], list(itertools.zip_longest(a[at:], b[at:])), what)
    at = min(len(a), len(b))
    what = None if len(a) == len(b) else "where it ends"
    return Compared(a[:at], list(itertools.zip_longest(a[at:], b[at:])), what)


def steps(conversation: Conversation) -> list[Step]:
    """All turns of an episode, attempt by attempt."""
    return [Step(a.attempt, t) for a in conversation.attempts for t in a.turns]


def opening(episode: Episode) -> list[tuple[str, str]]:
    """What the first attempt begins with."""
    return [(a.goal, a.opening) for a in episode.attempts[:1]]


def difference(x: Step, y: Step) -> str | None:
    """The first thing that differs between two turns."""
    if (x.attempt.index, x.attempt.start) != (y.attempt.index, y.attempt.start):
        return "which attempt goes on"
    for what, aspect in ASPECTS.items():
        if aspect(x.attempt, x.shown.turn) != aspect(y.attempt, y.shown.turn):
            return what
    return None
