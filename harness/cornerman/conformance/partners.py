"""The kit's own actor, critic and protocol, beside which a plug-in is played: they make every moment come."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman.engine.view import View
from cornerman.hookspecs import hookimpl
from cornerman.records import (
    Attempt,
    AttemptSpec,
    Candidate,
    ContextItem,
    Critique,
    Request,
    Start,
    Turn,
    Verdict,
)


class Walker:
    """Offers two actions, asks once in an attempt, and revises by what it is told."""

    sees = ("history", "admissible")

    @hookimpl
    def act(self, view: View) -> list[Candidate] | Request:
        """East more often than not, and something else beside it."""
        if view.turn == 1:
            return Request(question="Which way is the lamp?")
        rng = view.rng()
        texts = ["go east", rng.choice(["go west", "wait"])]
        rng.shuffle(texts)
        return [Candidate(text=t, logprob=-0.5 * (i + 1), entropy=0.7) for i, t in enumerate(texts)]

    @hookimpl
    def revise(self, view: View, candidates: Sequence[Candidate], critiques: Sequence[Critique]) -> str:
        """What a critic suggests, else east."""
        return next((c.suggestion for c in critiques if c.suggestion), "go east")


class Speaker:
    """Speaks at every moment, with every verdict that lets the attempt go on."""

    sees = ("history",)

    @hookimpl
    def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
        """Sends back what does not lead east, every other turn."""
        wrong = Verdict.REVISE if view.turn % 2 else Verdict.BLOCK
        return [
            Critique(verdict=Verdict.PASS, score=1.0)
            if c.text == "go east"
            else Critique(verdict=wrong, score=0.0, text="That does not lead to the lamp.", suggestion="go east")
            for c in candidates
        ]

    @hookimpl
    def answer_request(self, view: View, request: Request) -> Critique:
        """The answer."""
        return Critique(text="It is in the east.")

    @hookimpl
    def review_turn(self, view: View, turn: Turn) -> Critique:
        """Advice and a score of the turn."""
        return Critique(text="Go on, `go east`.", score=float(turn.executed == "go east"))

    @hookimpl
    def review_attempt(self, view: View, attempt: Attempt) -> Critique:
        """A diagnosis that names a turn."""
        return Critique(verdict=Verdict.REVISE, text="You were too slow.", pivot=1, score=0.5)


class Twice:
    """Two attempts: from reset, and from the second turn of the first with the critics' words."""

    sees = ("attempts",)

    @hookimpl
    def plan_attempts(self, view: View) -> list[AttemptSpec] | None:
        """The next one."""
        done = view.attempts
        if not done:
            return [AttemptSpec()]
        if len(done) > 1:
            return None
        said = tuple(ContextItem(text=c.text, source=c.critic, critique=c.id) for c in done[0].critiques if c.delivered)
        start = Start(kind="turn", attempt=0, turn=min(1, len(done[0].turns)))
        return [AttemptSpec(start=start, context=said, parent=0)]
