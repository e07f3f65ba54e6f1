"""A critic's free words."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman import Critique
from cornerman.engine.view import View
from cornerman.records import Message


async def speak(view: View, messages: Sequence[Message], purpose: str, max_tokens: int, temperature: float) -> Critique:
    """What the model says, as a critique without a verdict. An empty answer is kept too: its call was made."""
    reply = await view.model.generate(messages, purpose=purpose, max_tokens=max_tokens, temperature=temperature)
    return Critique(text=reply.text.strip(), call=reply.call)
