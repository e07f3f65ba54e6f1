"""Agent-R's splice: a bad attempt up to its first bad action, a thought that says so, and a better way on."""

from __future__ import annotations

from typing import Literal

from cornerman import Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt, Turn
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored
from cornerman_plugins.prompting.transcript import consultation, did

LABELS = ("good", "bad", "uncertain")
SYSTEM = "You worked on a task and did not solve it. You go over your own actions and judge each of them."


class AgentR:
    """Finds the first bad action of an attempt and goes on after it (Agent-R, arXiv 2501.11425).

    The paper's: the actor itself judges every action of a bad path good, bad or uncertain; the path is cut at the first
    bad one, which stays in it; a revision thought follows, and then the rest of a good path. The recorded attempt of
    protocol `retry:start=pivot,placement=message` is that splice: bad prefix, thought, and what the actor then did. The
    paper takes the good rest from a tree search in training; here the actor plays it. Use the actor's own model. Ours:
    labels are read by their probabilities, and the wording of the thought.

    hold: of which attempts a splice is made: "all", or "bad" ones only, whose score is below 1 (privileged).
    """

    def __init__(self, hold: Literal["all", "bad"] = "bad") -> None:
        self.hold = hold
        self.sees = ("history", "policy", "score") if hold == "bad" else ("history", "policy")

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> Critique | None:
        """The first bad action, judged turn by turn; nothing is asked of those after it."""
        if self.hold == "bad" and view.success:
            return None
        for turn in view.history:
            if turn.kind == "act" and turn.executed is not None and not turn.terminated:
                judgement = await self._judge(view, turn)
                if judgement.score == 0:
                    return judgement
        return None

    async def _judge(self, view: View, turn: Turn) -> Critique:
        question = f"Was turn {turn.index + 1}, {did(turn)}, good, bad or uncertain? Answer with one word."
        found = await scored(view.model, consultation(view, SYSTEM, question), LABELS, purpose="judge")
        [best] = found.best()
        bad = LABELS[best] == "bad"
        thought = (
            f"That was a mistake: `{one_line(turn.executed)}` does not lead to the goal. Go another way from here."
        )
        return Critique(
            score=0.0 if bad else 1.0,
            grades=dict(zip(LABELS, found.probabilities, strict=True)),
            text=thought if bad else "",
            pivot=turn.index + 1 if bad else None,
            call=found.call,
        )
