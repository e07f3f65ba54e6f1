"""A critic to imitate: the sentence that names most of what wins, or any other."""

from __future__ import annotations

from cornerman import Candidate, Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt
from cornerman_plugins.critics.between_attempts.echo import Echo


class DemonstrateAdvice(Echo):
    """Shows `echo` what to say, in its own prompts. Privileged; needs a model that takes the first choice.

    Of the sentences that `forms` stand for, the best is the one that names most of the gold actions of the attempt's
    beginning; with right = 1 it is oracle advice. right: the probability of the best sentence; else it is any of them.
    n, window, score, forms: as in `echo`; without forms it says nothing.
    """

    def __init__(
        self, forms: tuple[str, ...] = (), right: float = 0.4, n: int = 1, window: int | None = None, score: bool = True
    ) -> None:
        if not 0 <= right <= 1:
            raise ValueError(f"right is a probability, not {right}")
        super().__init__(n=n, window=window, forms=forms, score=score)
        self.right = right
        self.sees = ("history", "policy", "score", "gold")

    @hookimpl
    async def review_action(self, view: View, candidates: list[Candidate]) -> None:
        """Keep what wins from the beginning; says nothing."""
        if view.turn == 0:
            view.state["plan"] = await view.gold()

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> list[Critique] | None:
        """Advice on an attempt that follows no critique."""
        sentences = self.choices or ()
        if attempt.critique is not None or not sentences:
            return None
        plan = [action.lower() for action in view.state.get("plan") or ()]
        best = max(sentences, key=lambda s: sum(action in s.lower() for action in plan))
        rng = view.rng()
        out = []
        for _ in range(self.n):
            said = best if rng.random() < self.right else rng.choice(sentences)
            choices = (said, *(s for s in sentences if s != said))
            reply = await view.model.generate(self.render(view), purpose="diagnosis", choices=choices)
            out.append(Critique(text=said, call=reply.call))
        return out
