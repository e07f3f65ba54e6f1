"""A critic that grades by the probability of labels, so that every answer is a grade."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

import msgspec

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt, Candidate, Turn
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored
from cornerman_plugins.prompting.transcript import consultation, did

SYSTEM = "You grade how an agent works on a task."


class Grader:
    """Grades with a closed set of labels, the best one first: the score is their probability-weighted value.

    labels: their values are spaced evenly from 1 for the first to 0 for the last, and their probabilities are those
    that the model gives to each as its whole answer, renormalised; on a command line they are written "good|fair|bad".
    moment: "action" grades what the actor is about to do, every candidate for itself: one with a score below
    `threshold` is sent back, and the engine takes the best candidate. "turn" scores each turn after its execution, for
    triggers and trainers, and says nothing. "attempt" grades the end, with a verdict that a protocol may stop by.
    window: how many of the last turns the grader is shown, all by default.
    """

    sees = ("history", "policy")

    def __init__(
        self,
        labels: str | tuple[str, ...] = ("good", "bad"),
        threshold: float = 0.5,
        moment: Literal["action", "turn", "attempt"] = "action",
        window: int | None = None,
    ) -> None:
        names = tuple(labels.split("|") if isinstance(labels, str) else labels)
        if len(names) < 2 or len(set(names)) < len(names) or not all(name.strip() for name in names):
            raise ValueError("labels are two or more different words, the best one first")
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold is a score between 0 and 1, not {threshold}")
        self.labels, self.threshold, self.moment, self.window = names, threshold, moment, window
        self.speaks = (f"review_{moment}",)

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique] | None:
        """A grade and a verdict for each candidate, all asked for at the same time."""
        actions = [one_line(c.text) for c in candidates]
        grades = await asyncio.gather(
            *(self._grade(view, f"The agent is about to do: `{a}`\nHow good is that?") for a in actions)
        )
        return [self._judged(g, f"`{a}` looks {best(g)} here.") for g, a in zip(grades, actions, strict=True)]

    @hookimpl
    async def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """A score of the turn that was played."""
        return await self._grade(view, f"How good was turn {turn.index + 1}, {did(turn)}, seen from its outcome?")

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> Critique | None:
        """A grade and a verdict on the whole attempt."""
        return self._judged(await self._grade(view, "That was all. How well did the agent complete the task?"), "")

    async def _grade(self, view: View, question: str) -> Critique:
        *others, last = self.labels
        question = f"{question} Answer with one word: {', '.join(others)} or {last}."
        messages = consultation(view, SYSTEM, question, window=self.window)
        found = await scored(view.model, messages, self.labels, purpose="grade")
        grades = dict(zip(self.labels, found.probabilities, strict=True))
        worst = len(self.labels) - 1
        score = sum(p * (1 - rank / worst) for rank, p in enumerate(grades.values()))
        return Critique(score=score, grades=grades, call=found.call)

    def _judged(self, grade: Critique, words: str) -> Critique:
        """A grade with its verdict, and with the words where that sends the action back."""
        passed = grade.score is not None and grade.score >= self.threshold
        verdict = Verdict.PASS if passed else Verdict.REVISE
        return msgspec.structs.replace(grade, verdict=verdict, text="" if passed else words)


def best(grade: Critique) -> str:
    """The most probable label."""
    return max(grade.grades, key=grade.grades.__getitem__)
