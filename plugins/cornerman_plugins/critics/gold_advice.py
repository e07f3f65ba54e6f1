"""Advice from the environment's gold actions: the ceiling of what words can be worth. Privileged."""

from __future__ import annotations

from typing import Literal

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Candidate, Turn


class GoldAdvice:
    """Names the next gold action in words, before the first action and after every turn.

    `moment` "turn" speaks after each turn; "action" reviews what the actor is about to do, passes gold actions and
    asks for a revision of all others. `right` is the probability with which the advice is right; a wrong one names
    another admissible action, so that measures of a critic's worth can be checked against a known truth.
    """

    sees = ("gold", "admissible")

    def __init__(self, moment: Literal["turn", "action"] = "turn", right: float = 1.0) -> None:
        if not 0 <= right <= 1:
            raise ValueError(f"right is a probability, not {right}")
        self.moment, self.right = moment, right
        self.speaks = ("review_action",) if moment == "action" else ("review_turn", "review_action")

    async def _next(self, view: View) -> str | None:
        gold = await view.gold()
        if not gold:
            return None
        rng = view.rng()
        others = [a for a in view.admissible or [] if a != gold[0]]
        return rng.choice(others) if others and rng.random() >= self.right else gold[0]

    @hookimpl
    async def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """The action that leads on from here."""
        action = await self._next(view) if not turn.terminated else None
        return None if action is None else Critique(text=f"Do this next: `{action}`", suggestion=action)

    @hookimpl
    async def review_action(self, view: View, candidates: list[Candidate]) -> list[Critique] | None:
        """Pass the gold action, ask for it otherwise. Before the first turn it speaks in either moment's place."""
        if self.moment == "turn" and view.turn > 0:
            return None
        action = await self._next(view)
        if action is None:
            return None
        words = f"Do this next: `{action}`"
        return [
            Critique(verdict=Verdict.PASS, score=1.0)
            if c.text == action
            else Critique(verdict=Verdict.REVISE, score=0.0, text=words, suggestion=action)
            for c in candidates
        ]
