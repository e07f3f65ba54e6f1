"""Conversations as OpenAI's chat completions have them, one a line.

    {"id": "t1", "messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}], "score": 1}

or the bare list of messages. Every assistant message is a turn; what comes before the next one answers it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from cornerman.importing.parsing import bad, json_of, lines, listed, mapping, name, score_of, text_of
from cornerman.importing.traces import Exchange, Trace

ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def read(path: Path) -> Iterator[Trace]:
    """Every conversation of a file."""
    for place, value in lines(path):
        table = {"messages": value} if isinstance(value, list) else mapping(value, place)
        score = score_of(table.get("score", table.get("reward")), place)
        success = table.get("success")
        if success is not None and not isinstance(success, bool):
            bad(place, f"success is true or false, not {success!r:.40}")
        default = f"line-{place.rpartition(' ')[2]}"
        yield trace(
            table.get("messages"), place, task=name(table.get("id", default), place), score=score, success=success
        )


def trace(messages: Any, place: str, **fields: Any) -> Trace:
    """A conversation from its messages; system messages are the goal, and what comes first from others the opening."""
    read_ones = [one(m, f"{place}, message {i}") for i, m in enumerate(listed(messages, f"{place}, messages"))]
    goal = [text for role, text, _ in read_ones if role in ("system", "developer")]
    spoken = [m for m in read_ones if m[0] not in ("system", "developer")]
    first = next((i for i, m in enumerate(spoken) if m[0] == "assistant"), None)
    if first is None:
        bad(place, "no message is the assistant's")
    opening = together(spoken[:first])
    starts = [i for i, m in enumerate(spoken) if m[0] == "assistant"]
    exchanges = [
        exchange(spoken[i], spoken[i + 1 : after]) for i, after in zip(starts, [*starts[1:], len(spoken)], strict=True)
    ]
    goals = "\n\n".join(goal) or fields.pop("goal", "") or opening
    return Trace(**{"goal": goals, "opening": opening, "exchanges": tuple(exchanges), **fields})


Read = tuple[str, str, list[dict[str, Any]]]
"""Role, text and tool calls of a message."""


def one(value: Any, place: str) -> Read:
    """One message."""
    message = mapping(value, place)
    role = message.get("role")
    if role not in ROLES:
        bad(place, f"the role is one of {', '.join(ROLES)}, not {role!r:.40}")
    calls = message.get("tool_calls")
    called = [] if calls is None else [call(c, place) for c in listed(calls, place)]
    return role, text_of(message.get("content"), place), called


def call(value: Any, place: str) -> dict[str, Any]:
    """A tool call as environments here take it: name and arguments."""
    table = mapping(value, place)
    inner = mapping(table.get("function", table), place)
    arguments = inner.get("arguments", {})
    if isinstance(arguments, str):
        arguments = json_of(arguments.encode("utf-8", "replace"), f"{place}, arguments") if arguments.strip() else {}
    if not isinstance(inner.get("name"), str):
        bad(place, "a tool call has no name")
    return {"name": inner["name"], "arguments": arguments}


def exchange(said: Read, answers: Sequence[Read]) -> Exchange:
    """A turn: a call is the action and the text beside it the thought; else the text is the action."""
    _, text, calls = said
    if not calls:
        return Exchange(action=text, observation=together(answers))
    action = msgspec.json.encode(calls[0] if len(calls) == 1 else calls).decode()
    return Exchange(action=action, thought=text or None, observation=together(answers))


def together(messages: Sequence[Read]) -> str:
    """The texts of some messages."""
    return "\n\n".join(text for _, text, _ in messages if text)
