"""A supervisor that looks at the whole trajectory every few turns and says what goes wrong."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Message, Turn
from cornerman_plugins.critics.after_turn.likeness import Measure, checked, likest
from cornerman_plugins.critics.after_turn.supervision import (
    CATEGORIES,
    STATUSES,
    Detection,
    Feedback,
    form,
    read,
    shortest,
)
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored
from cornerman_plugins.prompting.transcript import consultation

SYSTEM = (
    "You supervise an agent that works on a task, while it works. Be conservative: name a failure only where the "
    "trajectory shows it, and say so when the agent is on track. Never write code or the solution."
)
KEPT, LONGEST = 5, 1500
"""How many of its earlier feedbacks it is shown, and how many characters of each."""
GUIDE = "In one or two sentences, tell the agent how to go on. Do not write code or the solution."


class Supervisor:
    """The intra-trajectory critic for frozen code agents ("critic-training" repository; its arXiv id was not found).

    The paper's: every k = 5 steps, from the full trajectory, up to 5 of its earlier feedbacks of 1500 characters each
    and a note when the end is near: twelve failure categories in families, each DETECTED yes or no with EVIDENCE and
    RECOVERY_ACTION, TASK_STATUS of three, OVERALL_GUIDANCE; a conservative critic that writes no code; only its newest
    message stands before the agent; optionally near-duplicates are held back, the shortest of several samples is taken,
    or the guidance alone is told; when it fails, the agent goes on. Ours: the wording; that a form counts only when
    every category is answered; the likeness by words. Settings: `trigger = { every = 5 }`, `deliver = "replace"`,
    `on_critic_error = "continue"`.

    `on track` is a pass, the other two statuses a revise, which has no effect on an action that is done; the score is
    1, 0.5 or 0 by status, `grades` hold the categories. What is held back stands in `data`.

    read: "written" reads the form; "scored" takes the probabilities of yes and no for each category and of the three
    statuses, and has the guidance written, without evidence and recovery. words: "full", or "guidance" alone.
    duplicates: how likeness to earlier feedbacks is measured, by the cosine of MiniLM's sentence embeddings, by the
    Jaccard index of the sets of words, or not at all. similar: the likeness from which on a feedback is held back. n:
    how many forms are sampled. near: from how many decisions left on it is told how many. max_tokens, temperature: of
    what is written. window: how many of the last turns it is shown, all by default.
    """

    sees = ("history", "policy")

    def __init__(
        self,
        read: Literal["written", "scored"] = "written",
        words: Literal["full", "guidance"] = "full",
        duplicates: Measure = "words",
        similar: float = 0.9,
        n: int = 1,
        near: int = 10,
        max_tokens: int = 900,
        temperature: float = 0.0,
        window: int | None = None,
    ) -> None:
        if n < 1:
            raise ValueError(f"n counts forms, at least 1, not {n}")
        if n > 1 and (temperature <= 0 or read == "scored"):
            raise ValueError('several forms differ only when they are sampled: read = "written", temperature above 0')
        if not 0 < similar <= 1:
            raise ValueError(f"similar is a likeness above 0 and at most 1, not {similar}")
        self.read, self.full, self.n, self.near = read, words == "full", n, near
        self.duplicates, self.similar = checked(duplicates), similar
        self.max_tokens, self.temperature, self.window = max_tokens, temperature, window

    @hookimpl
    async def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """The feedback, unless no decision is left that it could change."""
        if turn.terminated or view.turns_left <= 0:
            return None
        if self.read == "scored":
            feedback, call = await self._scored(view)
        else:
            messages = self.render(view, form())
            reply = await view.model.generate(
                messages, n=self.n, purpose="feedback", max_tokens=self.max_tokens, temperature=self.temperature
            )
            call = reply.call
            forms = [read(completion.text) for completion in reply.completions]
            chosen = shortest(forms, self.full)
            if chosen is None:
                return Critique(verdict=Verdict.UNPARSED, text=reply.text.strip(), call=call)
            feedback = forms[chosen] or Feedback((), STATUSES[0], "")
        return await self._said(view, feedback, call)

    def render(self, view: View, question: str) -> list[Message]:
        """The prompt: trajectory, earlier feedbacks, the note on the end, and what is asked."""
        earlier = [f"- after turn {at}: {one_line(words)}" for at, words in view.state.get("said", [])]
        parts = ["\n".join(["What you told the agent before:", *earlier])] if earlier else []
        if view.turns_left <= self.near:
            parts.append(f"The agent has {view.turns_left} of its {view.rules.max_turns} decisions left.")
        return consultation(view, SYSTEM, "\n\n".join([*parts, question]), window=self.window)

    async def _said(self, view: View, feedback: Feedback, call: int) -> Critique:
        words = feedback.words(self.full)
        said: list[list[Any]] = view.state.get("said", [])
        like = await likest(view, words, [text for _, text in said], self.duplicates)
        data: dict[str, Any] = {"status": feedback.status, "detected": [d._asdict() for d in feedback.detected]}
        if like is not None and like >= self.similar:
            data |= {"held_back": words, "likeness": like}
            words = ""
        elif words:
            view.state["said"] = [*said, [view.turn, words[:LONGEST]]][-KEPT:]
        found = {d.category for d in feedback.detected}
        severity = STATUSES.index(feedback.status)
        return Critique(
            verdict=Verdict.PASS if severity == 0 else Verdict.REVISE,
            score=1 - severity / (len(STATUSES) - 1),
            grades={name: float(name in found) for name in CATEGORIES},
            text=words,
            data=data,
            call=call,
        )

    async def _scored(self, view: View) -> tuple[Feedback, int]:
        """The form by closed questions, all put at the same time, and the call that gave the status.

        The guidance follows from what they found.
        """
        questions = [f"Is this so? {name}: {what}. Answer yes or no." for name, what in CATEGORIES.items()]
        status = f"Is the agent {', '.join(STATUSES[:-1])}, or is it {STATUSES[-1]}? Answer with one of the three."
        asked = [(q, ("no", "yes")) for q in questions] + [(status, STATUSES)]
        found = await asyncio.gather(
            *(scored(view.model, self.render(view, q), labels, purpose="feedback") for q, labels in asked)
        )
        *categories, last = [labels[f.best()[0]] for f, (_, labels) in zip(found, asked, strict=True)]
        detected = tuple(Detection(name) for name, is_so in zip(CATEGORIES, categories, strict=True) if is_so == "yes")
        seen = f"You found: {', '.join(d.category for d in detected) or 'no failure'}. Status: {last}. {GUIDE}"
        reply = await view.model.generate(
            self.render(view, seen), purpose="guidance", max_tokens=self.max_tokens, temperature=self.temperature
        )
        return Feedback(detected, last, one_line(reply.text) if reply.text.strip() else ""), found[-1].call
