"""A numeric critic after DGAP: a score for every action that the actor thinks of, and no word on why."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Candidate
from cornerman_plugins.critics.before_action.asking import Asking, Read
from cornerman_plugins.critics.before_action.each import each
from cornerman_plugins.prompting.fields import one_of
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored

SYSTEM = "You score the next action of an agent that works on a task."
BEST = 10
SCORES = tuple(str(n) for n in range(BEST + 1))


class DGAP(Asking):
    """Scores every candidate from 0 to 10, and the actor writes an action that would score higher (DGAP, ICLR 2025).

    The paper's (Discriminator-Guided Embodied Planning for LLM Agent, openreview TjP1d8PP8l): a score at every step of
    how far an action agrees with the best one, and a planner that is told the pairs of actions and scores so far. It is
    the numeric control in CGI's table (arXiv 2503.16024). Ours: a prompted model in place of the discriminator that the
    paper trains on demonstrations, the range, and one new action a turn. Give the actor several `candidates` and the
    protocol `revise_on = "all"`; with `deliver = "append"` the pairs of earlier turns stay in sight.

    Written is a number that is the whole answer. Scored are the eleven numbers, and their expectation is taken.
    """

    def __init__(self, read: Read = "written", list_commands: bool = True, window: int | None = None) -> None:
        super().__init__(read, 4, 0.0, list_commands, window)

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique | None]:
        """A score of each candidate."""
        return await each(candidates, lambda candidate: self._judge(view, one_line(candidate.text)))

    async def _judge(self, view: View, action: str) -> Critique:
        question = f"The agent thinks of doing: `{action}`\nHow good is that, from 0 to {BEST}? Answer with the number."
        messages = self.question(view, SYSTEM, question)
        if self.read == "scored":
            found = await scored(view.model, messages, SCORES, purpose="score")
            return numbered(action, sum(n * p for n, p in enumerate(found.probabilities)), found.call)
        reply = await self.write(view, messages, "score")
        number = one_of(reply.text, SCORES)
        if number is None:
            return Critique(verdict=Verdict.UNPARSED, text=reply.text.strip(), call=reply.call)
        return numbered(action, float(number), reply.call)


def numbered(action: str, number: float, call: int) -> Critique:
    """The critique for a number between 0 and 10; the words round it to whole ones."""
    words = f"`{action}`: {number:.0f} of {BEST}"
    return Critique(verdict=Verdict.REVISE, score=number / BEST, text=words, call=call)
