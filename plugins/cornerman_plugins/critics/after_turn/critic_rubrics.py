"""Critic Rubrics: behaviours of an attempt as labels, to choose among attempts and to stop early."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

import msgspec

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt, Candidate
from cornerman_plugins.critics.after_turn.rubrics import QUESTIONS, features
from cornerman_plugins.prompting.scoring import scored
from cornerman_plugins.prompting.transcript import consultation

SYSTEM = "You judge how an agent worked on a task from the record of what it did."
ANSWERS = ("yes", "no")


class CriticRubrics:
    """Labels an attempt's behaviours from its trace, and says how probably it succeeded (arXiv 2603.03800).

    The paper's: a critic that predicts 24 behaviour rubrics and the sparse success of a segment, from the request to
    the end; it reranks several attempts (Best@8) and stops sampling them once one is good enough. Its names of the 24
    were not found beyond a few examples, and its critic is trained. Ours: the rubrics, ten by rule or eight that a
    model is asked; a segment is an attempt.

    At an attempt's end the score is the success that is predicted, the rubrics are its grades, and it passes from
    `threshold` on: rerank with `counted = "selected"`, stop sampling with `until = "critic_pass"`. Nothing is said.

    read: "rules" takes rubrics by rule, and one minus their mean for success; "scored" takes the probabilities of yes
    to the questions and to whether the attempt succeeded. threshold: the predicted success that passes an attempt.
    stop_below: an attempt whose predicted success is below this before an action is cut off by the verdict stop; the
    trigger says when to look. None, the default, cuts none. window: how many of the last turns a model is shown.
    """

    sees = ("history", "policy", "admissible")

    def __init__(
        self,
        read: Literal["rules", "scored"] = "rules",
        threshold: float = 0.5,
        stop_below: float | None = None,
        window: int | None = None,
    ) -> None:
        for name, value in (("threshold", threshold), ("stop_below", stop_below)):
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name} is a predicted success from 0 to 1, not {value}")
        self.read, self.threshold, self.stop_below, self.window = read, threshold, stop_below, window

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> Critique:
        """Rubrics, predicted success and the verdict."""
        found = await self._judge(view, "That was all. ", ended=True)
        good = found.score is not None and found.score >= self.threshold
        return msgspec.structs.replace(found, verdict=Verdict.PASS if good else Verdict.REVISE)

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> Critique | None:
        """A stop of every candidate where the attempt looks lost."""
        if self.stop_below is None or not view.history:
            return None
        found = await self._judge(view, "", ended=False)
        if found.score is None or found.score >= self.stop_below:
            return None
        return msgspec.structs.replace(found, verdict=Verdict.STOP, score=None, data={"success": found.score})

    async def _judge(self, view: View, opening: str, *, ended: bool) -> Critique:
        if self.read == "rules":
            found = features(view.history)
            if not ended:
                del found["stops unfinished"]
            return Critique(score=1 - sum(found.values()) / len(found), grades=found)
        success = "Did the agent complete the task?" if ended else "Will the agent complete the task?"
        asked = [f"{opening}{q} Answer yes or no." for q in (*QUESTIONS.values(), success)]
        answers = await asyncio.gather(
            *(
                scored(view.model, consultation(view, SYSTEM, q, window=self.window), ANSWERS, purpose="rubric")
                for q in asked
            )
        )
        *rubrics, last = [a.probabilities[0] for a in answers]
        return Critique(score=last, grades=dict(zip(QUESTIONS, rubrics, strict=True)), call=answers[-1].call)
