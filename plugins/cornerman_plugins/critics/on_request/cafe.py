"""CAFE's critic: short feedback on the trajectory, when the agent requests it."""

from __future__ import annotations

from cornerman import Critique, Request, hookimpl
from cornerman.engine.view import View
from cornerman_plugins.prompting.fields import tagged
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.transcript import consultation

SYSTEM = "You give feedback to an agent that works on a task and has asked for it."
TAG = "feedback"
FORM = f"""Name the one thing that most needs correcting, with the evidence for it in the trajectory, in one or two
short sentences. Never give the final answer. Write:
<{TAG}>your feedback</{TAG}>"""


class CAFE:
    """Feedback as an action of the agent (CAFE, Coupled Agent–Feedback Evolution, arXiv 2608.24794).

    The paper's: the agent requests feedback in place of another action; the critic sees the query and the trajectory so
    far, and writes short, evidence-based feedback on the most important correction only, never the final answer; it
    stands in the agent's context, and the agent goes on. Ours: the prompt. The actor has to be able to ask
    (`requests = true`); how often it may is a rule of the suite. In the paper one model plays both roles. That
    no answer is given away is asked of the model and not enforced. Whether those episodes fare better in which the
    agent asked is the call–skip effect of the run's summary.

    max_tokens, temperature: of the feedback. window: how many of the last turns it is shown, all by default.
    """

    sees = ("history", "policy")

    def __init__(self, max_tokens: int = 96, temperature: float = 0.0, window: int | None = None) -> None:
        self.max_tokens, self.temperature, self.window = max_tokens, temperature, window

    @hookimpl
    async def answer_request(self, view: View, request: Request) -> Critique:
        """What stands within the tags; the whole text, marked as out of form, where they are missing."""
        question = f"The agent asks: {one_line(request.question)}\n{FORM}"
        messages = consultation(view, SYSTEM, question, window=self.window)
        reply = await view.model.generate(
            messages, purpose="feedback", max_tokens=self.max_tokens, temperature=self.temperature
        )
        feedback = tagged(reply.text, TAG)
        text = reply.text.strip() if feedback is None else feedback
        return Critique(text=text, call=reply.call, data={"in_form": feedback is not None})
