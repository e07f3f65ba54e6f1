"""Feedback-Enriched Environments: hints beside observations, in training only."""

from __future__ import annotations

from typing import Literal

from cornerman import hookimpl
from cornerman.engine.view import View
from cornerman_plugins.critics.enrich import Enrich

Kind = Literal["staged", "guidance", "enrichment"]


class FEE:
    """o ← o + E(o, h) with probability p (Feedback-Enriched Environments, arXiv 2609.08404).

    The paper's: action guidance at first and observation enrichment later, within an episode and across training (the
    first 100 steps); an injection probability of 0.5, the same decision for all rollouts of a group; rewards are not
    touched, and evaluation is in the plain environment. Ours: guidance names the next gold action and enrichment what
    the last action changed in what can be done, both by rule; the stage across training is the recipe's, by `kind`.

    p: probability of a hint at an observation. kind: "staged" gives guidance for the first `guided` observations of an
    attempt and enrichment after them. guided: see kind. always: also in evaluation, for a study of the hints
    themselves. Guidance sees gold, so anything but `kind = "enrichment"` is privileged.
    """

    def __init__(self, p: float = 0.5, kind: Kind = "staged", guided: int = 5, always: bool = False) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p is a probability, not {p}")
        if guided < 0:
            raise ValueError(f"guided counts observations, not {guided}")
        self.p, self.kind, self.guided, self.always = p, kind, guided, always
        self._enrich = Enrich()
        self.sees = ("history", "admissible") if kind == "enrichment" else ("history", "admissible", "gold")

    @hookimpl
    async def transform_observation(self, view: View, observation: str) -> str | None:
        """The observation with a hint, or as it is."""
        if view.phase == "evaluation" and not self.always:
            return None
        if view.rng(group=True).random() >= self.p:
            return None
        if self.kind == "guidance" or (self.kind == "staged" and view.turn < self.guided):
            gold = await view.gold()
            return f"{observation}\n[Hint: `{gold[0]}` would help now.]" if gold else None
        return self._enrich.transform_observation(view, observation)
