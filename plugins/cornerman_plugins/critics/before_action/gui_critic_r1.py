"""The pre-operative gate of GUI-Critic-R1: right or wrong before an action is done, and what would be right."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Candidate
from cornerman_plugins.critics.before_action.asking import Asking
from cornerman_plugins.critics.before_action.each import each
from cornerman_plugins.prompting.fields import one_of, tagged
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored

SYSTEM = "You check the next action of an agent that works on a task, before it is done."
LABELS = ("Correct", "Incorrect")
FORM = """Write:
<thought>what the situation is and what the action would lead to</thought>
<score>Correct or Incorrect</score>
<suggestion>the action that would be right</suggestion>"""


class GUICriticR1(Asking):
    """Lets an action through or sends it back with a suggestion (GUI-Critic-R1, arXiv 2506.04614).

    The paper's: before execution, from goal, history and the proposed action; a chain of thought, `Correct` or
    `Incorrect`, and a suggestion of the right action, with which the agent decides again. Ours: text in place of
    screenshots, and the cap on new decisions, which is the protocol's `review_rounds`: the last revision is executed
    unseen. A suggestion is words and never executed by itself.

    Written are three tags, of which only `score` has to be there. Scored are the two labels, with no thought and no
    suggestion.
    """

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique | None]:
        """A verdict on each candidate."""
        return await each(candidates, lambda candidate: self._judge(view, one_line(candidate.text)))

    async def _judge(self, view: View, action: str) -> Critique:
        form = FORM if self.read == "written" else f"Is that right? Answer {LABELS[0]} or {LABELS[1]}."
        messages = self.question(view, SYSTEM, f"The agent is about to do: `{action}`\n{form}")
        if self.read == "scored":
            found = await scored(view.model, messages, LABELS, purpose="verdict")
            right = found.probabilities[0]
            label = LABELS[right < 0.5]
            return gate(action, label, right, "", "", found.call)
        reply = await self.write(view, messages, "verdict")
        written = one_of(tagged(reply.text, "score"), LABELS)
        if written is None:
            return Critique(verdict=Verdict.UNPARSED, text=reply.text.strip(), call=reply.call)
        thought, suggestion = tagged(reply.text, "thought"), tagged(reply.text, "suggestion")
        return gate(action, written, float(written == LABELS[0]), thought or "", suggestion or "", reply.call)


def gate(action: str, label: str, right: float, thought: str, suggestion: str, call: int) -> Critique:
    """The critique for a label; `right` is how far the action is held to be right, from 0 to 1."""
    if label == LABELS[0]:
        return Critique(verdict=Verdict.PASS, score=right, text=one_line(thought) if thought else "", call=call)
    words = [f"`{action}` is not right here."]
    words += [one_line(thought)] if thought else []
    words += [f"Suggestion: {one_line(suggestion)}"] if suggestion else []
    return Critique(
        verdict=Verdict.REVISE,
        score=right,
        text=" ".join(words),
        suggestion=one_line(suggestion) if suggestion else None,
        call=call,
    )
