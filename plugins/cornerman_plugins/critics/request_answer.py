"""A critic that answers what the actor asks in place of acting."""

from __future__ import annotations

from cornerman import Critique, Request, hookimpl
from cornerman.engine.view import View
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.speaking import speak
from cornerman_plugins.prompting.transcript import consultation

SYSTEM = "You help an agent that works on a task. You see what it did and what came of it."


class RequestAnswer:
    """Answers a question in a sentence or two. Options as those of `advice`."""

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
    async def answer_request(self, view: View, request: Request) -> Critique:
        """The answer."""
        question = f"The agent asks: {one_line(request.question)}\nAnswer it in one or two short sentences."
        messages = consultation(view, SYSTEM, question, window=self.window, commands=self.list_commands)
        return await speak(view, messages, "answer", self.max_tokens, self.temperature)
