"""GAIA's critic: which of several actions is most probably right."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Candidate, Completion
from cornerman_plugins.critics.before_action.asking import Asking, Read
from cornerman_plugins.critics.before_action.each import each
from cornerman_plugins.prompting.fields import one_of
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored

SYSTEM = "You judge whether the next action of an agent that works on a task is right."
LABELS = ("correct", "wrong")


class GAIA(Asking):
    """Best-of-N: the candidate with the highest confidence is executed (GAIA, arXiv 2601.18197).

    The paper's: N = 8 candidate actions, a binary critic that labels each from instruction, history and the action, and
    the one with the highest confidence executed. Nothing is sent back, and the actor is told nothing. Ours: text in
    place of screenshots, and the prompt. Give the actor `candidates = 8`. A score alone chooses, so that a label is no
    verdict; one that was owed and cannot be read is `unparsed`, and its candidate comes after all others.

    Scored is the probability of `correct` among the two labels. Written is one of them, and the confidence is the
    probability of what was written, or certainty where the model gives none.
    """

    def __init__(self, read: Read = "scored", list_commands: bool = True, window: int | None = None) -> None:
        super().__init__(read, 8, 0.0, list_commands, window)

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique | None]:
        """A confidence for each candidate."""
        return await each(candidates, lambda candidate: self._judge(view, one_line(candidate.text)))

    async def _judge(self, view: View, action: str) -> Critique:
        question = f"The agent is about to do: `{action}`\nIs that {LABELS[0]} or {LABELS[1]}? Answer with one word."
        messages = self.question(view, SYSTEM, question)
        if self.read == "scored":
            found = await scored(view.model, messages, LABELS, purpose="confidence")
            return confident(found.probabilities[0], found.call)
        reply = await self.write(view, messages, "confidence")
        label = one_of(reply.text, LABELS)
        if label is None:
            return Critique(verdict=Verdict.UNPARSED, text=reply.text.strip(), call=reply.call)
        sure = certainty(reply.completions[0])
        return confident(sure if label == LABELS[0] else 1 - sure, reply.call)


def certainty(written: Completion) -> float:
    """The probability of what was written, or 1 where the model gives none."""
    return 1.0 if written.logprob is None else math.exp(min(0.0, written.logprob))


def confident(right: float, call: int) -> Critique:
    """A confidence that an action is right, as a score."""
    grades = dict(zip(LABELS, (right, 1 - right), strict=True))
    return Critique(score=right, grades=grades, confidence=max(right, 1 - right), call=call)
