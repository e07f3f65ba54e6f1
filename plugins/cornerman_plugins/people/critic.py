"""People as critics: one who watches and speaks, and an expert whom the actor may call at a price."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cornerman import Candidate, Critique, Request, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.errors import CriticError
from cornerman.records import Attempt, Turn
from cornerman_plugins.people.actor import LEFT
from cornerman_plugins.people.terminal import ask
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.transcript import did, transcript


async def said(text: str, prompt: str) -> str:
    """A person's line; the end of input is an error of the critic's."""
    line = await ask(text, prompt)
    if line is None:
        raise CriticError(LEFT)
    return line.strip()


class HumanCritic:
    """A person who is shown what happens and says something, or nothing by an empty line.

    moment: "turn" after each turn (Inner Monologue's human feedback, arXiv 2207.05608, is this); "action" before each
    action, where words send it back and an empty line lets it pass; "attempt" at the end of an attempt.
    """

    sees = ("history", "policy", "admissible")
    interactive = True

    def __init__(self, moment: Literal["turn", "action", "attempt"] = "turn") -> None:
        self.moment = moment
        self.speaks = (f"review_{moment}",)

    @hookimpl
    async def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """Words on the turn that was played."""
        if turn.terminated:
            return None
        words = await said(f"Turn {turn.index + 1}: {did(turn)}\n{turn.shown}", "your words, or Enter for none:")
        return Critique(text=words) if words else None

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique] | None:
        """A verdict on each candidate."""
        found = []
        for candidate in candidates:
            text = f"{view.observation}\nThe agent is about to do: {one_line(candidate.text)}"
            words = await said(text, "what is wrong with it, or Enter to let it pass:")
            found.append(Critique(verdict=Verdict.REVISE, text=words) if words else Critique(verdict=Verdict.PASS))
        return found

    @hookimpl
    async def review_attempt(self, view: View, attempt: Attempt) -> Critique | None:
        """Words on the whole attempt."""
        words = await said(transcript(view), "the attempt is over; your words, or Enter for none:")
        return Critique(text=words) if words else None


class HILA:
    """An expert whom the actor may ask, at a price (HILA, human-in-the-loop multi-agent collaboration).

    The mechanism: deferring to an expert is one of the actor's actions and costs something of the reward, and the
    expert's answers are kept as data for training. Here it is the actor's request (`llm-react:requests=true`, or
    `llm-choose:requests=true`), answered by a person at the terminal or by a simulated expert who knows gold. The
    price stands with every answer in its `data`, for the reward of a trainer: R = score - price * answers. Ours: all
    but the mechanism, of which no formula was found.

    expert: "person", or "gold" for the simulated one (privileged). price: what an answer costs, in units of the score.
    """

    def __init__(self, expert: Literal["person", "gold"] = "person", price: float = 0.1) -> None:
        if price < 0:
            raise ValueError(f"price is what an answer costs, at least 0, not {price}")
        self.expert, self.price = expert, price
        self.interactive = expert == "person"
        self.sees = ("history", "policy", "gold") if expert == "gold" else ("history", "policy")

    @hookimpl
    async def answer_request(self, view: View, request: Request) -> Critique | None:
        """The expert's answer; none where the person has nothing to say or the task is lost."""
        if self.expert == "person":
            question = f"{transcript(view)}\nThe agent asks: {one_line(request.question)}"
            words, action = await said(question, "your answer, or Enter for none:"), None
        else:
            gold = await view.gold()
            action = gold[0] if gold else None
            words = f"Do this next: `{action}`" if action else ""
        return Critique(text=words, suggestion=action, data={"price": self.price}) if words else None
