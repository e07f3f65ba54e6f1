"""ERL's reflection: a failed first attempt is turned into better instructions for the second."""

from __future__ import annotations

from cornerman import Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt
from cornerman_plugins.prompting.fields import tagged
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.transcript import consultation

SYSTEM = "You improve the instructions of an agent after it failed at a task."
FORM = """The agent will try the same task again from the beginning, with your instructions in place of its own.
Write them between tags: <prompt>the improved instructions</prompt>"""


class ERL:
    """Better instructions after an attempt that scored too little (ERL, arXiv 2602.13949).

    The paper's: attempt, environment feedback and score lead to a reflection, a revised system prompt between
    `<prompt>` tags, which the second attempt is played with; it may look at a memory of reflections that helped before
    (`erl-memory`); an attempt at or above the threshold (1.0 in the authors' code) is left as it is. Ours: the
    instructions stand beside the actor's own system message, since an actor plug-in owns that one. A text without the
    tags has no instructions: its critique is empty and nothing is carried.

    threshold: the score below which it speaks; it sees the score and is privileged. max_tokens, temperature: of the
    reflection. window: how many of the last turns it is shown, all by default.
    """

    sees = ("history", "policy", "score")

    def __init__(
        self, threshold: float = 1.0, max_tokens: int = 200, temperature: float = 0.7, window: int | None = None
    ) -> None:
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold is a score above 0 and at most 1, not {threshold}")
        self.threshold, self.max_tokens, self.temperature, self.window = threshold, max_tokens, temperature, window

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> Critique | None:
        """The reflection on a first attempt that scored too little."""
        if attempt.critique is not None or view.score >= self.threshold:
            return None
        kept = [f"Instructions that helped before: {one_line(item.text)}" for item in view.memory]
        question = "\n".join([f"That was all. The score is {view.score:.2f} of 1.", *kept, FORM])
        messages = consultation(view, SYSTEM, question, window=self.window)
        reply = await view.model.generate(
            messages, purpose="reflection", max_tokens=self.max_tokens, temperature=self.temperature
        )
        return Critique(text=tagged(reply.text, "prompt") or "", call=reply.call)
