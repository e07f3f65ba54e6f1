"""A person as the actor: what the agent sees, and a line for an answer."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman import Candidate, Critique, Request, hookimpl
from cornerman.engine.view import View
from cornerman.errors import ActorError
from cornerman_plugins.people.terminal import ask

LEFT = "the person left: the input has ended"


class Human:
    """Asks a person for every action; a number stands for an admissible action.

    requests: a line that begins with "?" asks a critic. The episodes of a run with a person are played one after
    another. For a game without a run, use `cornerman play`.
    """

    sees = ("history", "admissible", "policy")
    interactive = True

    def __init__(self, requests: bool = False) -> None:
        self.requests = requests

    @hookimpl
    async def act(self, view: View) -> Candidate | Request:
        """The person's line: an action, its number, or a question."""
        first = [f"Task: {view.goal}", f"Rules: {view.policy}" if view.policy else ""] if view.turn == 0 else []
        words = [f"[{item.source}] {item.text}" for item in view.context if item.at == view.turn]
        choices = [f"{n:>3}  {a}" for n, a in enumerate(view.admissible or [], 1)]
        text = "\n".join(t for t in [*first, view.observation, *words, *choices] if t)
        line = await self._line(text, f"turn {view.turn + 1}, action:")
        if self.requests and line.startswith("?"):
            return Request(question=line[1:].strip(), raw=line)
        return self._candidate(view, line)

    @hookimpl
    async def revise(
        self, view: View, candidates: Sequence[Candidate], critiques: Sequence[Critique]
    ) -> Candidate | None:
        """Another line after the critics' words; an empty one keeps the action."""
        said = "\n".join(f"[{c.critic}] {c.text}" for c in critiques) or "That was not accepted."
        line = await self._line(said, "another action, or Enter to keep it:")
        return self._candidate(view, line) if line else None

    @staticmethod
    async def _line(text: str, prompt: str) -> str:
        line = await ask(text, prompt)
        if line is None:
            raise ActorError(LEFT)
        return line.strip()

    @staticmethod
    def _candidate(view: View, line: str) -> Candidate:
        listed = view.admissible or []
        if line.isascii() and line.isdigit() and 1 <= int(line) <= len(listed):
            return Candidate(text=listed[int(line) - 1], raw=line)
        return Candidate(text=line, raw=line)
