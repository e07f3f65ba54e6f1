"""Critics that are bad in other ways: by chance, and by giving the answer away."""

from __future__ import annotations

from cornerman import Critique, Verdict
from cornerman.engine.view import View
from cornerman_plugins.critics.bad.speaker import BadCritic, others


class RandomCritic(BadCritic):
    """A random verdict, a random score, and a random admissible action as its advice: the floor of every comparison."""

    sees = ("admissible",)

    async def opinion(self, view: View, action: str) -> Critique:
        """Drawn anew each time."""
        rng = view.rng()
        if rng.random() < 0.5:
            return Critique(verdict=Verdict.PASS if self.moment == "action" else None, score=rng.random())
        named = rng.choice(found) if (found := others(view)) else None
        words = f"Do this next: `{named}`" if named else "Do something else."
        verdict = Verdict.REVISE if self.moment == "action" else None
        return Critique(verdict=verdict, score=rng.random(), text=words, suggestion=named)


class AnswerLeaking(BadCritic):
    """Tells the whole rest of the solution, which no critic should: what leak monitors have to find. Privileged."""

    sees = ("gold",)

    async def opinion(self, view: View, action: str) -> Critique | None:
        """Every gold action from here."""
        gold = await view.gold()
        if not gold:
            return None
        return Critique(text="The solution: " + ", then ".join(f"`{a}`" for a in gold), suggestion=gold[0])
