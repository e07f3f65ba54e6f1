"""RLAnything's step verdicts: was this turn good or bad, asked several times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Turn
from cornerman_plugins.prompting.fields import labelled, one_of
from cornerman_plugins.prompting.scoring import scored
from cornerman_plugins.prompting.transcript import consultation, did

SYSTEM = "You evaluate single steps of an agent that works on a task."
VERDICTS = ("1", "-1")
"""The step helped; it did not."""


class RLAnything:
    """m verdicts of 1 or -1 on every turn, each with a reasoning (RLAnything, arXiv 2602.02488).

    The paper's: after each step the reward model writes m = 3 evaluations, a reasoning and a verdict in {-1, 1} each;
    the policy's reward of a step is the outcome plus their mean, the reward model's own is that times its verdict.
    These rewards are matters of training, and so are its tasks that are rewritten as they become too easy or too hard.
    Ours: the wording, and that verdicts that cannot be read are left out of the mean.

    The mean is the turn's score, from -1 to 1, for triggers and trainers; nothing is said to the actor, and verdicts
    and reasonings stand in `data`. Where no verdict can be read the critique is unparsed.

    m: how many evaluations. read: "written" samples m answers in two lines; "scored" draws m verdicts from their
    probabilities, without reasoning. max_tokens, temperature: of a written evaluation. window: how many of the last
    turns it is shown, all by default.
    """

    sees = ("history", "policy")

    def __init__(
        self,
        m: int = 3,
        read: Literal["written", "scored"] = "written",
        max_tokens: int = 200,
        temperature: float = 0.8,
        window: int | None = None,
    ) -> None:
        if m < 1:
            raise ValueError(f"m counts evaluations, at least 1, not {m}")
        if m > 1 and temperature <= 0 and read == "written":
            raise ValueError("several evaluations at temperature 0 would all be the same; raise the temperature")
        self.m, self.read, self.window = m, read, window
        self.max_tokens, self.temperature = max_tokens, temperature

    @hookimpl
    async def review_turn(self, view: View, turn: Turn) -> Critique:
        """The mean of the verdicts as the turn's score."""
        about = f"Was turn {turn.index + 1}, {did(turn)}, a good step, seen from what came of it?"
        if self.read == "scored":
            question = f"{about} Answer {VERDICTS[0]} if it was and {VERDICTS[1]} if it was not."
            messages = consultation(view, SYSTEM, question, window=self.window)
            found = await scored(view.model, messages, VERDICTS, purpose="verdict")
            rng = view.rng()
            drawn = [1 if rng.random() < found.probabilities[0] else -1 for _ in range(self.m)]
            return judged(drawn, [None] * self.m, found.call)
        form = (
            f"{about} Write two lines:\nReasoning: what the step contributed to the task\n"
            f"Verdict: {VERDICTS[0]} if it was a good step, {VERDICTS[1]} if not"
        )
        reply = await view.model.generate(
            consultation(view, SYSTEM, form, window=self.window),
            n=self.m,
            purpose="verdict",
            max_tokens=self.max_tokens,
            temperature=self.temperature,
        )
        parts = [labelled(c.text, ("Reasoning", "Verdict")) for c in reply.completions]
        verdicts = [one_of(p["Verdict"], VERDICTS) if p else None for p in parts]
        read = [None if v is None else int(v) for v in verdicts]
        if all(v is None for v in read):
            return Critique(verdict=Verdict.UNPARSED, text=reply.text.strip(), call=reply.call)
        return judged(read, [p["Reasoning"] if p else None for p in parts], reply.call)


def judged(verdicts: Sequence[int | None], reasonings: Sequence[str | None], call: int) -> Critique:
    """The critique for verdicts, of which at least one was read."""
    known = [v for v in verdicts if v is not None]
    return Critique(
        score=sum(known) / len(known), data={"verdicts": [*verdicts], "reasonings": [*reasonings]}, call=call
    )
