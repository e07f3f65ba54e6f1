"""An observation enricher: says beside each observation what the last action changed in what can be done.

After the observation enrichment of Feedback-Enriched Environments (arXiv 2609.08404), by rule instead of by template.
"""

from __future__ import annotations

from cornerman import hookimpl
from cornerman.engine.view import View


class Enrich:
    """Appends which actions the last one opened and which it closed, at most `show` of each."""

    sees = ("history", "admissible")

    def __init__(self, show: int = 6) -> None:
        if show < 1:
            raise ValueError(f"show counts actions, at least 1, not {show}")
        self.show = show

    @hookimpl
    def transform_observation(self, view: View, observation: str) -> str | None:
        """The observation with the difference, or as it is where nothing is known."""
        history, after = view.history, view.admissible
        if not history or after is None or history[-1].admissible_actions is None:
            return None
        before = history[-1].admissible_actions
        opened = [a for a in after if a not in before]
        closed = [a for a in before if a not in after]
        if not opened and not closed:
            return f"{observation}\n[Nothing changed in what you can do.]"
        changes = (("Now possible", opened), ("No longer possible", closed))
        parts = [f"{word}: {self._list(actions)}" for word, actions in changes if actions]
        return f"{observation}\n[{'. '.join(parts)}.]"

    def _list(self, actions: list[str]) -> str:
        more = len(actions) - self.show
        return ", ".join(actions[: self.show]) + (f" and {more} more" if more > 0 else "")
