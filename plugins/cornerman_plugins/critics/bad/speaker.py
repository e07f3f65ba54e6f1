"""What bad critics share: they speak after a turn, or on what is about to be done, as one setting says."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Literal

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Candidate, Turn


class BadCritic(abc.ABC):
    """A critic that gives an opinion on one action.

    moment: "turn" speaks after each turn, on the action that was done; "action" reviews every candidate, and what it
    finds fault with is sent back.
    """

    sees: tuple[str, ...] = ("history", "admissible")

    def __init__(self, moment: Literal["turn", "action"] = "turn") -> None:
        self.moment = moment
        self.speaks = (f"review_{moment}",)

    @abc.abstractmethod
    async def opinion(self, view: View, action: str) -> Critique | None:
        """What it says of an action that was done or is about to be; None says nothing."""

    @hookimpl
    async def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """An opinion on the turn, while there is another one to come."""
        if turn.executed is None or turn.terminated or view.turns_left <= 0:
            return None
        return await self.opinion(view, turn.executed)

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique | None] | None:
        """An opinion on each candidate; words without a verdict ask for a revision."""
        return [owed(await self.opinion(view, candidate.text)) for candidate in candidates]


def owed(critique: Critique | None) -> Critique | None:
    """The critique with the verdict that a review owes."""
    if critique is None or critique.verdict is not None:
        return critique
    import msgspec

    return msgspec.structs.replace(critique, verdict=Verdict.REVISE if critique.text else Verdict.PASS)


def others(view: View, *taken: str) -> list[str]:
    """The admissible actions less some."""
    return [a for a in view.admissible or [] if a not in taken]
