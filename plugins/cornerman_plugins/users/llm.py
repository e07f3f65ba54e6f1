"""A user played by a model, by the rules of the user simulator of τ-bench (Yao et al. 2024, arXiv 2406.12045, §3)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from cornerman.dialogue import Said, UserMessage
from cornerman.engine.view import UserView
from cornerman.hookspecs import hookimpl
from cornerman.records import Message
from cornerman_plugins.users.requests import as_text, written
from cornerman_plugins.users.scenario import told

RULES = """You play a customer who talks to a customer service agent. Stay in this role until the conversation ends.

- Write one message at a time, in your own short and natural words, and nothing but what the customer would say.
- Go by your scenario alone. Do not make up facts that it does not hold; asked for one, say that you do not know it.
- Do not tell the whole scenario at once: say what you want, and give further facts when they are needed or asked for.
- Do not copy sentences of the scenario; say the same in the words of your persona.
- When what you want has been done, or cannot be done any more, answer with ###STOP### alone."""
CALLING = """You can use these tools on your side. Use one only when the agent or your scenario asks for it.
To use one, the whole message is JSON: {"name": "the tool", "arguments": {"an argument": "its value"}}
You will read the result, and then tell the agent about it in words."""
BEGIN = "(The conversation begins. Say your first words.)"


class LLMUser:
    """Plays the scenario through a model.

    temperature: of the samples, 0 takes the likeliest words. max_tokens: longest reply.
    """

    def __init__(self, temperature: float = 0.0, max_tokens: int = 256) -> None:
        if temperature < 0 or max_tokens < 1:
            raise ValueError("temperature is at least 0 and max_tokens at least 1")
        self.temperature, self.max_tokens = temperature, max_tokens

    def render(self, message: UserMessage) -> list[Message]:
        """The rules and scenario, and the dialogue with the customer's own words as the assistant's."""
        tools = [json.dumps(tool, ensure_ascii=False) for tool in message.tools or ()]
        parts = [RULES, "\n".join([CALLING, *tools]) if tools else "", f"Your scenario\n\n{told(message.scenario)}"]
        system = Message(role="system", content="\n\n".join(p for p in parts if p))
        return [system, *exchanges(message.dialogue)]

    @hookimpl
    async def reply_as_user(self, view: UserView, message: UserMessage) -> str:
        """The model's words; a tool call that stands in them is the whole reply."""
        reply = await view.model.generate(
            self.render(message), purpose="reply_as_user", temperature=self.temperature, max_tokens=self.max_tokens
        )
        call = written(reply.text, message.tools or ())
        return reply.text.strip() if call is None else as_text(call)


def exchanges(dialogue: Sequence[Said]) -> list[Message]:
    """The dialogue as a chat in which what the customer is told and what it says alternate, the first and last told."""
    out: list[Message] = []
    for line in dialogue:
        role = "assistant" if line.role == "user" else "user"
        content = f"Result of your tool: {line.content}" if line.role == "tool" else line.content
        if out and out[-1].role == role:
            content = f"{out.pop().content}\n\n{content}"
        out.append(Message(role="assistant" if role == "assistant" else "user", content=content))
    if not out or out[0].role == "assistant":
        out.insert(0, Message(role="user", content=BEGIN))
    return out
