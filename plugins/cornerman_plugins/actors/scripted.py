"""Actors without a model: for controls, for ceilings, and for studies whose truth is known."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cornerman import Critique, hookimpl
from cornerman.engine.view import View

QUOTED = re.compile(r"`([^`\n]{1,200})`")


class Random:
    """A uniformly random admissible action; "look" where the environment lists none."""

    sees = ("admissible",)

    @hookimpl
    def act(self, view: View) -> str:
        """Draw one."""
        return view.rng().choice(view.admissible or ["look"])


class Gold:
    """The environment's own gold actions: the ceiling of every table. Privileged."""

    sees = ("admissible", "gold")

    @hookimpl
    async def act(self, view: View) -> str:
        """The next gold action; "look" when there is no way to win any more."""
        gold = await view.gold()
        return gold[0] if gold else "look"


class NoisyGold:
    """Gold with probability 1 - p, else a wrong admissible action; follows what it is told iff that is admissible.

    For controlled studies: what advice is worth to this actor can be computed. It reads advice as an agent would, from
    the words in its context: the newest message since its last action that names an admissible action in backquotes
    is followed.
    """

    sees = ("admissible", "gold")

    def __init__(self, p: float = 0.3, follow: bool = True) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p is a probability, not {p}")
        self.p, self.follow = p, follow

    @hookimpl
    async def act(self, view: View) -> str:
        """Follow advice, or act by gold and noise."""
        told = self._advice(view) if self.follow else None
        rng = view.rng()
        gold = await view.gold()
        best = gold[0] if gold else "look"
        wrong = [a for a in view.admissible or [] if a != best]
        own = rng.choice(wrong) if wrong and rng.random() < self.p else best
        return told or own

    @hookimpl
    def revise(self, view: View, critiques: Sequence[Critique]) -> str | None:
        """The admissible action that the last critique names, if any."""
        return self._named([c.text for c in critiques], view.admissible or []) if self.follow else None

    def _advice(self, view: View) -> str | None:
        texts = [item.text for item in view.context if item.at == view.turn and item.source != "engine"]
        return self._named(texts, view.admissible or [])

    @staticmethod
    def _named(texts: list[str], admissible: list[str]) -> str | None:
        for text in reversed(texts):
            for action in QUOTED.findall(text):
                if action in admissible:
                    return str(action)
        return None
