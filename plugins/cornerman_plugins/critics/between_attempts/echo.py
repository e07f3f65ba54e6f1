"""ECHO's hindsight critic: several diagnoses of one attempt, each for a refinement of its own."""

from __future__ import annotations

from cornerman import Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt, Message
from cornerman_plugins.prompting.fields import labelled
from cornerman_plugins.prompting.forms import expanded
from cornerman_plugins.prompting.transcript import consultation

SYSTEM = "You diagnose how an agent worked on a task, so that its next try from the beginning goes better."
LABELS = ("Diagnosis", "Critique")
FORM = """Write two lines:
Diagnosis: what went wrong and why, or what cost steps
Critique: what the agent has to do differently, short and in order"""
ONE = "Say what the agent has to do differently, in one sentence."


class Echo:
    """N diagnoses of the first attempt (ECHO, "No More Stale Feedback", arXiv 2601.06794).

    The paper's: after a finished attempt, knowing its score, the critic writes N = 8 diagnoses with an actionable
    critique each; the protocol `cascade` plays one refinement from the start for every one of them. Ours: the wording,
    and that a text without the two labels is carried as it is, since a diagnosis owes no verdict. Refinements are not
    diagnosed again.

    n: how many diagnoses are sampled. score: it is told the attempt's score, as in the paper: privileged. max_tokens,
    temperature: of a diagnosis. window: how many of the last turns it is shown, all by default. forms: sentences to
    which its words are restricted, with alternatives in braces, as "look in the {fridge|drawer} first"; for models too
    small to write freely, and ours.
    """

    def __init__(
        self,
        n: int = 8,
        score: bool = True,
        max_tokens: int = 160,
        temperature: float = 1.0,
        window: int | None = None,
        forms: tuple[str, ...] = (),
    ) -> None:
        if n < 1:
            raise ValueError(f"n counts diagnoses, at least 1, not {n}")
        if n > 1 and temperature <= 0:
            raise ValueError("several diagnoses at temperature 0 would all be the same; raise the temperature")
        self.n, self.score, self.window = n, score, window
        self.max_tokens, self.temperature = max_tokens, temperature
        self.choices = expanded(forms) or None
        self.sees: tuple[str, ...] = ("history", "policy", "score") if score else ("history", "policy")

    def render(self, view: View) -> list[Message]:
        """The prompt of a diagnosis."""
        told = f"That was all. The score is {view.score:.2f} of 1. " if self.score else "That was all. "
        return consultation(view, SYSTEM, told + (ONE if self.choices else FORM), window=self.window)

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> list[Critique] | None:
        """The diagnoses of an attempt that follows no critique."""
        if attempt.critique is not None:
            return None
        reply = await view.model.generate(
            self.render(view),
            n=self.n,
            purpose="diagnosis",
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            choices=self.choices,
        )
        return [diagnosis(completion.text, reply.call) for completion in reply.completions]


def diagnosis(text: str, call: int) -> Critique:
    """A sampled text as a critique; its parts are kept apart in `data` where it has them."""
    parts = labelled(text, LABELS)
    if parts is None:
        return Critique(text=text.strip(), call=call)
    words = " ".join(part for part in parts.values() if part)
    return Critique(text=words, data={label.lower(): part for label, part in parts.items()}, call=call)
