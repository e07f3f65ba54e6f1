"""Protocols: how many attempts, from where, with which words, and when to stop."""

from __future__ import annotations

from typing import Literal

from cornerman import AttemptSpec, ContextItem, Start, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt


class Single:
    """One attempt from reset."""

    sees = ("attempts",)

    @hookimpl
    def plan_attempts(self, view: View) -> list[AttemptSpec] | None:
        """One, then no more."""
        return None if view.attempts else [AttemptSpec()]


class Retry:
    """Attempts one after another, each carrying what the critics said at the end of the one before.

    attempts: how many at most. until: "n" plays all of them; "critic_pass" stops when every critic that gave a verdict
    on the attempt passed it; "success" stops at the first solved one, which sees the outcome and is privileged.
    start: "reset", or "pivot" to resume before the turn that a critic named (from reset where none did). keep: how many
    of the last attempts' words are carried. placement: where they stand in the actor's context.
    """

    def __init__(
        self,
        attempts: int = 2,
        until: Literal["n", "critic_pass", "success"] = "n",
        start: Literal["reset", "pivot"] = "reset",
        keep: int = 3,
        placement: Literal["system", "message"] = "system",
    ) -> None:
        if attempts < 1 or keep < 1:
            raise ValueError("attempts and keep are at least 1")
        self.attempts, self.until, self.start, self.keep, self.placement = attempts, until, start, keep, placement
        self.sees = ("attempts", "score") if until == "success" else ("attempts",)

    @hookimpl
    def plan_attempts(self, view: View) -> list[AttemptSpec] | None:
        """The next attempt, or none."""
        done = view.attempts
        if not done:
            return [AttemptSpec()]
        last = done[-1]
        if len(done) >= self.attempts or self._satisfied(last):
            return None
        said = [c for a in done[-self.keep :] for c in a.critiques if c.delivered]
        pivot = next((c for c in last.critiques if c.pivot is not None), None) if self.start == "pivot" else None
        context = tuple(
            ContextItem(text=c.text.strip(), placement=self.placement, source=c.critic, critique=c.id) for c in said
        )
        return [
            AttemptSpec(
                start=self._start(last, pivot.pivot if pivot else None),
                context=context,
                parent=last.index,
                critique=pivot.id if pivot else (said[-1].id if said else None),
                groups={"retry": str(len(done))},
            )
        ]

    def _satisfied(self, last: Attempt) -> bool:
        if self.until == "success":
            return bool(last.success)
        verdicts = [c.verdict for c in last.critiques if c.verdict is not None]
        return self.until == "critic_pass" and bool(verdicts) and all(v is Verdict.PASS for v in verdicts)

    @staticmethod
    def _start(last: Attempt, pivot: int | None) -> Start:
        if pivot is None:
            return Start()
        base = last.start.turn if last.start.kind == "turn" else 0
        return Start(kind="turn", attempt=last.index, turn=max(0, min(pivot, base + len(last.turns))))
