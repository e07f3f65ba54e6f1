"""ECHO's cascaded rollout: one attempt, several critiques of it, and a refinement for every critique."""

from __future__ import annotations

from typing import Literal

from cornerman import AttemptSpec, ContextItem, hookimpl
from cornerman.engine.view import View


class Cascade:
    """One attempt, then one more from the start for each critique of it (ECHO, arXiv 2601.06794).

    No refinement sees another one or another critique. All stand in one group, as do their critiques, so that a trainer
    can normalise rewards within it. placement: where the words stand in a refinement's context.

    Which attempt counts is the setting `counted`: `first`, the default here, is the unaided one, as ECHO is evaluated;
    `best` is the oracle over first attempt and refinements, to be compared with as many attempts without critiques.
    """

    sees = ("attempts",)
    defaults = {"counted": "first"}

    def __init__(self, placement: Literal["system", "message"] = "system") -> None:
        self.placement = placement

    @hookimpl
    def plan_attempts(self, view: View) -> list[AttemptSpec] | None:
        """The first attempt, then all refinements at once."""
        done = view.attempts
        if not done:
            return [AttemptSpec()]
        if len(done) > 1:
            return None
        [first] = done
        return [
            AttemptSpec(
                context=(ContextItem(text=c.text.strip(), placement=self.placement, source=c.critic, critique=c.id),),
                parent=first.index,
                critique=c.id,
                groups={"diagnosis": str(first.index), "refinement": str(first.index)},
            )
            for c in first.critiques
            if c.delivered
        ]
