"""curious: takes the admissible action that it has taken least often."""

from collections.abc import Sequence

from cornerman import Candidate, Critique, hookimpl
from cornerman.engine.view import View
from cornerman.registry import Registry


class Curious:
    """Offers the `k` admissible actions that it took least often, ties in random order."""

    sees = ("history", "admissible")

    def __init__(self, k: int = 1) -> None:
        if k < 1:
            raise ValueError(f"k counts candidates, at least 1, not {k}")
        self.k = k

    @hookimpl
    def act(self, view: View) -> list[Candidate]:
        """The candidates, best first."""
        return [Candidate(text=action) for action in self.ranked(view)[: self.k]]

    @hookimpl
    def revise(self, view: View, candidates: Sequence[Candidate], critiques: Sequence[Critique]) -> str | None:
        """What a critic suggests where that is possible, else the next best that was not offered."""
        ranked = self.ranked(view)
        suggested = [c.suggestion for c in critiques if c.suggestion in ranked]
        offered = {c.text for c in candidates}
        return next((a for a in [*suggested, *ranked] if a not in offered), None)

    def ranked(self, view: View) -> list[str]:
        """All admissible actions; "look" where the environment lists none."""
        actions = view.admissible or ["look"]
        done = [turn.executed for turn in view.history]
        view.rng().shuffle(actions)
        return sorted(actions, key=done.count)


@hookimpl
def register(registry: Registry) -> None:
    """Enter it into the catalogue."""
    registry.add("actor", "curious", Curious, doc="the admissible action taken least often")
