"""A critic that gives the actor advice in words, after each turn or as often as its trigger says."""

from __future__ import annotations

from cornerman import Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Turn
from cornerman_plugins.prompting.speaking import speak
from cornerman_plugins.prompting.transcript import consultation

SYSTEM = "You advise an agent that works on a task. You see what it did and what came of it."
QUESTION = "In one or two short sentences, tell the agent what to do next and what to stop doing."


class Advice:
    """Free advice for the turns to come; it owes no verdict.

    max_tokens, temperature: of the advice. list_commands: the critic sees what the agent can do now. window: how many
    of the last turns it is shown, all by default.
    """

    def __init__(
        self,
        max_tokens: int = 60,
        temperature: float = 0.0,
        list_commands: bool = True,
        window: int | None = None,
    ) -> None:
        self.max_tokens, self.temperature, self.window = max_tokens, temperature, window
        self.list_commands = list_commands
        self.sees = ("history", "policy", "admissible") if list_commands else ("history", "policy")

    @hookimpl
    async def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """Advice, unless no decision is left that it could change."""
        if turn.terminated or view.turns_left <= 0:
            return None
        messages = consultation(view, SYSTEM, QUESTION, window=self.window, commands=self.list_commands)
        return await speak(view, messages, "advice", self.max_tokens, self.temperature)
