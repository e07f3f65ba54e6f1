"""What passes between an environment and its user: what the user is told, and what it answers."""

from __future__ import annotations

from typing import Any, Literal

from cornerman.record import Record


class Said(Record, frozen=True, kw_only=True):
    """One line of a conversation as a user saw it: the agent's words, its own, or what a tool of its own answered."""

    role: Literal["agent", "user", "tool"]
    content: str


class UserMessage(Record, frozen=True, kw_only=True):
    """What a user has just been told, and all that a user plug-in may know.

    `message` is the newest line of `dialogue`, "" when the user opens the conversation: the agent's words, or the
    result of the user's own tool call. `scenario` is the task's instruction to the user, a JSON value of the
    environment's own form: persona, reason for the call, known facts. `tools` are the JSON schemas of what the user may
    call, with `{"name": …, "arguments": {…}}` in place of words; None where there are none.
    """

    message: str = ""
    dialogue: tuple[Said, ...] = ()
    scenario: Any = None
    tools: Any = None


class UserReply(Record, frozen=True, kw_only=True):
    """One reply of the user: what it was told, what it answered, and the model calls behind it."""

    message: str
    text: str
    calls: tuple[int, ...] = ()
