"""doubt: asks a model whether an action brings the goal closer, and says so when it hardly believes it."""

import math
from collections.abc import Sequence

from cornerman import Candidate, Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Message
from cornerman.registry import Registry


class Doubt:
    """Scores "yes" against "no" for each candidate; below `threshold` it asks for another action."""

    sees = ("history",)

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold

    def render(self, view: View, action: str) -> list[Message]:
        """The prompt: a function of the view and nothing else."""
        done = ", ".join(turn.executed or "nothing" for turn in view.history[-5:]) or "nothing yet"
        question = f"Goal: {view.goal}\nDone: {done}\nNow: {view.observation}\nDoes `{action}` help? Answer yes or no."
        return [Message(role="user", content=question)]

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
        """One call for each candidate."""
        return [await self.judge(view, candidate.text) for candidate in candidates]

    async def judge(self, view: View, action: str) -> Critique:
        """Probability of "yes" among the two answers; the call's id ties the critique to what it cost."""
        reply = await view.model.score(self.render(view, action), ["yes", "no"], purpose="doubt")
        yes, no = (completion.logprob or 0.0 for completion in reply.completions)
        belief = 1 / (1 + math.exp(min(no - yes, 700.0)))
        if belief >= self.threshold:
            return Critique(verdict=Verdict.PASS, score=belief, call=reply.call)
        text = f"I doubt that `{action}` helps."
        return Critique(verdict=Verdict.REVISE, score=belief, text=text, call=reply.call)


@hookimpl
def register(registry: Registry) -> None:
    """Enter it into the catalogue."""
    registry.add("critic", "doubt", Doubt, doc="doubts actions by a model's yes and no")
