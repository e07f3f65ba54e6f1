"""What the critics of this family share that put a question on an action to a model."""

from __future__ import annotations

from typing import Literal

from cornerman.engine.calls import Reply
from cornerman.engine.view import View
from cornerman.records import Message
from cornerman_plugins.prompting.transcript import consultation

Read = Literal["written", "scored"]


class Asking:
    """A critic that asks a model about the trajectory.

    read: "written" reads what the model writes in the form that is asked for; "scored" takes the probabilities of the
    words that may be said, so that every answer is one. max_tokens, temperature: of a written answer. list_commands:
    the critic sees what can be done now. window: how many of the last turns it is shown, all by default.
    """

    sees: tuple[str, ...] = ("history", "policy")

    def __init__(
        self,
        read: Read = "written",
        max_tokens: int = 200,
        temperature: float = 0.0,
        list_commands: bool = True,
        window: int | None = None,
    ) -> None:
        self.read, self.max_tokens, self.temperature, self.window = read, max_tokens, temperature, window
        self.list_commands = list_commands
        if list_commands:
            self.sees = (*self.sees, "admissible")

    def question(self, view: View, system: str, text: str) -> list[Message]:
        """The trajectory with a question at its end."""
        return consultation(view, system, text, window=self.window, commands=self.list_commands)

    async def write(self, view: View, messages: list[Message], purpose: str) -> Reply:
        """A written answer."""
        return await view.model.generate(
            messages, purpose=purpose, max_tokens=self.max_tokens, temperature=self.temperature
        )
