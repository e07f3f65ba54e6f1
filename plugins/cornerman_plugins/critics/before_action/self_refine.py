"""Self-Refine on actions: propose, criticise oneself, revise, until nothing is left to criticise."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.calls import Reply
from cornerman.engine.view import View
from cornerman.records import Candidate, Message
from cornerman_plugins.critics.before_action.asking import Asking, Read
from cornerman_plugins.critics.before_action.each import each
from cornerman_plugins.prompting.fields import labelled, one_of
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored

SYSTEM = "You look critically at your own next action in a task, to make it better before you do it."
FEEDBACK = "Feedback"
SCORED = ("good", "bad")


class SelfRefine(Asking):
    """The actor's own feedback on its action, round after round (Self-Refine, Madaan et al., arXiv 2303.17651).

    The paper's: one model drafts, criticises and rewrites, until its feedback holds a stop word or after a number of
    rounds (four at most); no outcome is seen. Ours: it is applied to each action of an agent. Give it the actor's
    model, `deliver = "decision"`, and the protocol `review_rounds = 4`: all feedback of the turn stays before the actor
    while it rewrites, and nothing of it afterwards. Its calls are billed to the critic's role.

    stop: the word that ends the rounds, when it is the last line of what was written. Written as in the paper, the
    feedback stands under a label of its own. Scored are "good" and "bad": good stops, and only at bad is feedback
    written, in any form.
    """

    def __init__(
        self,
        stop: str = "STOP",
        read: Read = "written",
        max_tokens: int = 80,
        temperature: float = 0.0,
        list_commands: bool = True,
        window: int | None = None,
    ) -> None:
        if not stop.strip() or len(stop.splitlines()) > 1:
            raise ValueError("stop is a word or a few on one line")
        super().__init__(read, max_tokens, temperature, list_commands, window)
        self.stop = stop

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique | None]:
        """Feedback on each candidate, or a pass."""
        judge = self._written if self.read == "written" else self._scored
        return await each(candidates, lambda candidate: judge(view, one_line(candidate.text)))

    async def _written(self, view: View, action: str) -> Critique:
        request = (
            f"If nothing is to be improved, write {self.stop} and nothing else. Otherwise write one line:\n"
            f"{FEEDBACK}: in one or two short sentences, what is to be improved"
        )
        reply = await self._generate(view, action, request)
        lines = reply.text.strip().splitlines()
        if lines and one_of(lines[-1], [self.stop]):
            return Critique(verdict=Verdict.PASS, text=reply.text.strip(), call=reply.call)
        feedback = labelled(reply.text, [FEEDBACK])
        if feedback is None or not feedback[FEEDBACK]:
            return Critique(verdict=Verdict.UNPARSED, text=reply.text.strip(), call=reply.call)
        return Critique(verdict=Verdict.REVISE, text=f"On `{action}`: {feedback[FEEDBACK]}", call=reply.call)

    async def _scored(self, view: View, action: str) -> Critique:
        question = f"Is it {SCORED[0]} or {SCORED[1]}? Answer with one word."
        found = await scored(view.model, self._asked(view, action, question), SCORED, purpose="stop")
        if found.probabilities[0] >= 0.5:
            return Critique(verdict=Verdict.PASS, call=found.call)
        reply = await self._generate(view, action, "Say in one or two short sentences what is to be improved.")
        return Critique(verdict=Verdict.REVISE, text=f"On `{action}`: {reply.text.strip()}", call=found.call)

    async def _generate(self, view: View, action: str, request: str) -> Reply:
        return await self.write(view, self._asked(view, action, request), "feedback")

    def _asked(self, view: View, action: str, request: str) -> list[Message]:
        return self.question(view, SYSTEM, f"You are about to do: `{action}`\n{request}")
