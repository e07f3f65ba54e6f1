"""Critics that end in a judgement, so that an actor can revise until one of them is content: Critique-RL and CTRL."""

from __future__ import annotations

from typing import ClassVar, Literal

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt
from cornerman_plugins.prompting.fields import labelled, one_of
from cornerman_plugins.prompting.scoring import scored
from cornerman_plugins.prompting.transcript import consultation


class Judged:
    """Labelled sections, the last of which is one of two words: the first passes the attempt, the second sends it back.

    read: "written" reads the sections; "scored" has the others written first and takes the judgement by the
    probabilities of the two words. max_tokens, temperature: of what is written. window: how many of the last turns it
    is shown, all by default.
    """

    sees = ("history", "policy")
    SYSTEM: ClassVar[str]
    SECTIONS: ClassVar[dict[str, str]]
    """What the critic writes by section, in order."""
    JUDGEMENT: ClassVar[tuple[str, str, str]]
    """The last section's label, and its two words."""

    def __init__(
        self,
        read: Literal["written", "scored"] = "written",
        max_tokens: int = 300,
        temperature: float = 0.0,
        window: int | None = None,
    ) -> None:
        self.read, self.max_tokens, self.temperature, self.window = read, max_tokens, temperature, window

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> Critique:
        """The sections as words and the judgement as a verdict."""
        label, right, wrong = self.JUDGEMENT
        last = [f"{label}: {right} or {wrong}"] if self.read == "written" else []
        form = "\n".join(["That was all. Write:", *(f"{k}: {v}" for k, v in self.SECTIONS.items()), *last])
        messages = consultation(view, self.SYSTEM, form, window=self.window)
        reply = await view.model.generate(
            messages, purpose="critique", max_tokens=self.max_tokens, temperature=self.temperature
        )
        if self.read == "scored":
            question = f"That was all. Was the task solved? Answer {right} or {wrong}."
            asked = consultation(view, self.SYSTEM, question, window=self.window)
            found = await scored(view.model, asked, (right, wrong), purpose="judgement")
            good = found.probabilities[0]
            return verdict(reply.text.strip(), good >= 0.5, good, reply.call)
        parts = labelled(reply.text, [*self.SECTIONS, label])
        judgement = None if parts is None else one_of(parts[label], (right, wrong))
        if parts is None or judgement is None:
            return Critique(verdict=Verdict.UNPARSED, text=reply.text.strip(), call=reply.call)
        words = " ".join(text for name, text in parts.items() if name != label and text)
        return verdict(words, judgement == right, float(judgement == right), reply.call)


def verdict(words: str, good: bool, score: float, call: int) -> Critique:
    """A pass says nothing more; what is sent back is told why."""
    if good:
        return Critique(verdict=Verdict.PASS, score=score, call=call)
    return Critique(verdict=Verdict.REVISE, score=score, text=words, call=call)


class CritiqueRL(Judged):
    """A critique in steps with a verdict on the result (Critique-RL, arXiv 2510.24320).

    The paper's: every step is judged, the last line declares the result correct or wrong, and the actor answers again
    with the critique; the critic is trained in two stages, for the verdict first and for the refinement after. Here it
    is prompted: the trained one is the same plug-in on a trained model. Ours: an agent's result is its attempt, and the
    second answer another attempt from the start (protocol `retry`, two attempts, until the critic passes one).
    """

    SYSTEM = "You examine an agent's attempt at a task step by step and judge whether it solved the task."
    SECTIONS: ClassVar[dict[str, str]] = {
        "Steps": "for each turn that matters, right or wrong and why",
        "Feedback": "what to do differently",
    }
    JUDGEMENT = ("Result", "correct", "wrong")


class CTRL(Judged):
    """Analysis, improvements, judgement, and revision until the judgement is good (CTRL, arXiv 2502.03492).

    The paper's: the three sections, a fixed actor that revises over several rounds, and a stop at "Correct". Its critic
    is trained by the outcome of the revision; here it is prompted. Ours: a draft is an attempt instead of a program, a
    revision another attempt from the start (protocol `retry:until=critic_pass`).
    """

    SYSTEM = "You review an agent's attempt at a task, so that it can be corrected."
    SECTIONS: ClassVar[dict[str, str]] = {
        "Analysis": "strengths and weaknesses of the attempt",
        "Improvement suggestions": "what to do differently, in order",
    }
    JUDGEMENT = ("Overall judgement", "Correct", "Incorrect")
