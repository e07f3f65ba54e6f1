"""A critic that looks back on a finished attempt (Reflexion, Shinn et al. 2023, arXiv 2303.11366)."""

from __future__ import annotations

import msgspec

from cornerman import Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt
from cornerman_plugins.prompting.scoring import scored
from cornerman_plugins.prompting.speaking import speak
from cornerman_plugins.prompting.transcript import consultation

SYSTEM = "You look back on how an agent worked on a task, so that it does better next time."
QUESTION = "In one or two short sentences, tell the agent what went wrong and what to do differently next time."
PIVOT = "Which turn was the first mistake? Answer with its number."


class Reflect:
    """A diagnosis at the attempt's end, for another attempt (protocol `retry`) or a memory (`last-reflections`).

    max_tokens, temperature: of the diagnosis. score: it is told how the attempt ended, as in Reflexion, and has nothing
    to say of a solved one; this makes the method privileged. pivot: it also names the turn from which to try again, by
    the probability of each turn's number, which is given as `confidence`. window: how many of the last turns it is
    shown, all by default; the pivot is one of them.
    """

    def __init__(
        self,
        max_tokens: int = 80,
        temperature: float = 0.0,
        score: bool = False,
        pivot: bool = False,
        window: int | None = None,
    ) -> None:
        if window is not None and window < 1:
            raise ValueError(f"window counts turns, at least 1, not {window}")
        self.max_tokens, self.temperature, self.window = max_tokens, temperature, window
        self.score, self.pivot = score, pivot
        self.sees = ("history", "policy", "score") if score else ("history", "policy")

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> Critique | None:
        """The diagnosis, and the pivot where one is asked for."""
        if self.score and view.success:
            return None
        end = f"The task was not solved; the score is {view.score:.2f} of 1. " if self.score else ""
        messages = consultation(view, SYSTEM, end + QUESTION, window=self.window)
        said = await speak(view, messages, "reflection", self.max_tokens, self.temperature)
        turns = view.history if self.window is None else view.history[-self.window :]
        if not self.pivot or not turns:
            return said
        messages = consultation(view, SYSTEM, end + PIVOT, window=self.window)
        numbers = [str(t.index + 1) for t in turns]
        found = await scored(view.model, messages, numbers, purpose="pivot")
        [best] = found.best()
        return msgspec.structs.replace(said, pivot=turns[best].index, confidence=found.probabilities[best])
