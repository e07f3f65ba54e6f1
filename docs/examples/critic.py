"""failed: remembers what did not work, and objects when the actor is about to do it again."""

from collections.abc import Sequence

from cornerman import Candidate, Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Turn
from cornerman.registry import Registry


class Failed:
    """Objects to an action that this attempt has seen fail: the environment answered it with `sign` in its words.

    block: forbid the action, instead of asking the actor for another one.
    """

    sees = ("history",)

    def __init__(self, sign: str = "nothing happens", block: bool = False) -> None:
        if not sign:
            raise ValueError("sign is the text by which a failure is known; it cannot be empty")
        self.sign, self.block = sign.lower(), block

    @hookimpl
    def review_turn(self, view: View, turn: Turn) -> None:
        """After an action: note it if it failed. Says nothing."""
        if turn.executed and self.sign in turn.observation.lower():
            view.state.setdefault("failed", []).append(turn.executed)

    @hookimpl
    def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
        """Before an action: one critique for each candidate."""
        failed = view.state.get("failed", [])
        return [self.judge(candidate.text, failed) for candidate in candidates]

    def judge(self, action: str, failed: Sequence[str]) -> Critique:
        """The verdict on one action."""
        if action not in failed:
            return Critique(verdict=Verdict.PASS, score=1.0)
        verdict = Verdict.BLOCK if self.block else Verdict.REVISE
        return Critique(verdict=verdict, score=0.0, text=f"`{action}` did not work before. Do something else.")


@hookimpl
def register(registry: Registry) -> None:
    """Enter it into the catalogue."""
    registry.add("critic", "failed", Failed, doc="objects to what did not work before")
