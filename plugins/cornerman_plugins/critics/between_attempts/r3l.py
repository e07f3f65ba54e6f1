"""R3L's structured reflection: what kind of attempt it was, why, and the turn from which to try again."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt, Turn
from cornerman_plugins.prompting.scoring import scored
from cornerman_plugins.prompting.transcript import consultation

Outcome = Literal["success", "success_but_inefficient", "failure"]
OUTCOMES: tuple[Outcome, ...] = ("success", "success_but_inefficient", "failure")
SYSTEM = "You look back on an attempt of an agent at a task and find the turn at which it should have gone another way."
FORM = """Answer with one JSON object and nothing else:
{"summary": "what the agent did",
 "root_causes": ["a cause", "what caused that", "…"],
 "outcome": "success", "success_but_inefficient" or "failure",
 "principle": "one rule, understandable without the attempt, by which it would go better", or null for a clean success,
 "retry_from_turn": the number of the turn to play differently, or null}"""
OUTCOME = "How did it end? Answer success, success_but_inefficient or failure."
TURN = "From which turn should the agent try again, doing something else? Answer with its number."
PRINCIPLE = "In one sentence, tell the agent the rule by which it would go better."


class Reflection(msgspec.Struct, frozen=True):
    """The reflection as R3L asks for it; turns are counted from 1."""

    summary: str
    root_causes: list[str]
    outcome: Outcome
    principle: str | None
    retry_from_turn: int | None


class R3L:
    """A diagnosis with a pivotal turn (R3L, arXiv 2601.03715; the local retry is that of PivoARL, arXiv 2607.03702).

    The paper's: a JSON object with a summary, chained root causes, an outcome class, a principle that stands for itself
    (none for a clean success) and the turn to retry from; the retry replays the recorded actions up to there and goes
    on with the principle as a system message: protocol `retry:start=pivot`. Of PivoARL only the abstract could be read.
    Ours: turns are counted from 1, as in the transcript that the critic reads. What is no such object, or names a turn
    that the attempt does not have, is `unparsed`.

    read: "written" reads the object; "scored" takes outcome and turn by the probabilities of the words and numbers, and
    has only the principle written. max_tokens, temperature: of what is written. window: how many of the last turns it
    is shown, all by default; the pivotal turn is one of them.
    """

    sees = ("history", "policy")

    def __init__(
        self,
        read: Literal["written", "scored"] = "written",
        max_tokens: int = 300,
        temperature: float = 0.0,
        window: int | None = None,
    ) -> None:
        self.read, self.max_tokens, self.temperature, self.window = read, max_tokens, temperature, window

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> Critique | None:
        """The reflection; none on an attempt without a turn."""
        turns = view.history if self.window is None else view.history[-self.window :]
        if not turns:
            return None
        return await (self._written(view, turns) if self.read == "written" else self._scored(view, turns))

    async def _written(self, view: View, turns: list[Turn]) -> Critique:
        text, call = await self._say(view, FORM, "reflection")
        try:
            found = msgspec.json.decode(text, type=Reflection)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return Critique(verdict=Verdict.UNPARSED, text=text.strip(), call=call)
        index = None if found.retry_from_turn is None else found.retry_from_turn - 1
        if index is not None and index not in {t.index for t in turns}:
            return Critique(verdict=Verdict.UNPARSED, text=text.strip(), call=call)
        principle = (found.principle or "").strip()
        return judged(found.outcome, principle, index, call, msgspec.structs.asdict(found))

    async def _scored(self, view: View, turns: list[Turn]) -> Critique:
        outcome = await scored(view.model, self._ask(view, OUTCOME), OUTCOMES, purpose="outcome")
        label = OUTCOMES[outcome.best()[0]]
        if label == "success":
            return judged(label, "", None, outcome.call, {})
        numbers = [str(t.index + 1) for t in turns]
        turn = await scored(view.model, self._ask(view, TURN), numbers, purpose="pivot")
        principle, call = await self._say(view, PRINCIPLE, "principle")
        [best] = turn.best()
        said = judged(label, principle.strip(), turns[best].index, call, {})
        return msgspec.structs.replace(said, confidence=turn.probabilities[best])

    def _ask(self, view: View, question: str) -> list[Any]:
        return consultation(view, SYSTEM, f"That was all. {question}", window=self.window)

    async def _say(self, view: View, question: str, purpose: str) -> tuple[str, int]:
        reply = await view.model.generate(
            self._ask(view, question), purpose=purpose, max_tokens=self.max_tokens, temperature=self.temperature
        )
        return reply.text, reply.call


def judged(outcome: Outcome, principle: str, pivot: int | None, call: int, data: dict[str, Any]) -> Critique:
    """A critique for an outcome: a clean success passes, everything else is to be tried again."""
    verdict = Verdict.PASS if outcome == "success" else Verdict.REVISE
    return Critique(verdict=verdict, text=principle, pivot=pivot, call=call, data={"outcome": outcome} | data)
