"""A critic of three rules that needs no model: loops, inadmissible actions, and actions that changed nothing."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Candidate, Turn


class Rules:
    """Reviews what the actor is about to do against its own history.

    An action that is not admissible, or that was answered within the last `window` turns by the same observation as
    before, is sent back with the reason (`veto` blocks it instead). With several candidates the untried ones win.
    """

    sees = ("history", "admissible")

    def __init__(self, window: int = 6, veto: bool = False) -> None:
        if window < 1:
            raise ValueError(f"window counts turns, at least 1, not {window}")
        self.window, self.veto = window, veto

    @hookimpl
    def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
        """One verdict per candidate."""
        acts = [t for t in view.history if t.kind == "act"][-self.window :]
        admissible = view.admissible
        return [self._judge(c.text, acts, view.observation, admissible) for c in candidates]

    def _judge(self, action: str, acts: Sequence[Turn], now: str, admissible: list[str] | None) -> Critique:
        reason = self._reason(action, acts, now, admissible)
        if reason is None:
            return Critique(verdict=Verdict.PASS, score=1.0)
        return Critique(verdict=Verdict.BLOCK if self.veto else Verdict.REVISE, score=0.0, text=reason)

    def _reason(self, action: str, acts: Sequence[Turn], now: str, admissible: list[str] | None) -> str | None:
        if admissible is not None and action not in admissible:
            return f"`{action}` is not possible here."
        seen = now
        for turn in reversed(acts):
            if turn.executed == action and turn.shown == seen:
                return f"You did `{action}` a moment ago and it changed nothing. Do something else."
        repeats = sum(t.executed == action for t in acts)
        if repeats >= 2:
            return f"You did `{action}` {repeats} times in the last {len(acts)} turns. Try something else."
        return None
