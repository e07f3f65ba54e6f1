"""An actor's conversation: system, then observation and action in turn, then what is asked for now.

The messages of the next turn begin with those of this one, but for the closing instruction, which alone holds what
changes with every turn: a backend's prefix cache serves the rest. What breaks this by its nature: a history window that
moves, words delivered into the system message, words that are withdrawn, and tools that are added or taken away.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cornerman.engine.view import View
from cornerman.records import Candidate, Critique, Message, Turn
from cornerman_plugins.prompting.items import EMPTY, left_out, observed, one_line, outcome, standing, task

CALLING = """To call a tool, the action is JSON: {"name": "the tool", "arguments": {"an argument": "its value"}}
A list of such objects makes several calls."""


def conversation(view: View, system: str, said: Callable[[Turn], str], policy: str = "") -> list[Message]:
    """The messages up to the newest observation: a system message, then user and assistant in turn, a user's last.

    said: a past turn's own words, as the assistant's message. policy: the domain's rules, where the actor sees them;
    they stand in the system message unless the opening holds them already.
    The tools on offer stand in the system message, where actions are tool calls.
    Words placed as messages stand at the end of the observation that the actor had before it when they came; those from
    before the first turn stay with the opening, all others leave with their turns when a history window drops them.
    """
    rules = policy.strip()
    told = "" if rules in view.opening else rules
    head = [system, offered(view.tools or ()), told, *standing(view.context, "system")]
    out = [Message(role="system", content=_joined(head))]
    for content, turn in _exchanges(view):
        out.append(Message(role="user", content=content))
        if turn is not None:
            out.append(Message(role="assistant", content=said(turn) or EMPTY))
    return out


def instructed(messages: Sequence[Message], instruction: str) -> list[Message]:
    """The messages with an instruction at the end of the last one, a user's."""
    last = messages[-1]
    return [*messages[:-1], Message(role="user", content=_joined([last.content, instruction]))]


def drafted(candidates: Sequence[Candidate], critiques: Sequence[Critique]) -> Candidate:
    """The candidate that a review's critiques speak of."""
    return candidates[(critiques[0].candidate or 0) if critiques else 0]


def corrected(
    messages: Sequence[Message],
    draft: str,
    critiques: Sequence[Critique],
    request: str,
    candidates: Sequence[Candidate],
) -> list[Message]:
    """The messages that led to a draft, the draft, and the critics' words on it with a request for another answer.

    Where the words are on several of the candidates, these stand in place of the draft, each with the words on it.
    """
    if len({c.candidate for c in critiques}) > 1:
        return instructed(messages, _joined([*weighed(candidates, critiques), request]))
    words = advised(critiques)
    return [
        *messages,
        Message(role="assistant", content=draft or EMPTY),
        Message(role="user", content=_joined([*(words or ["That was not accepted."]), request])),
    ]


def weighed(candidates: Sequence[Candidate], critiques: Sequence[Critique]) -> list[str]:
    """The candidates, counted from 1, each with the words on it."""
    parts = ["You think of doing one of these:"]
    for i, candidate in enumerate(candidates):
        words = advised([c for c in critiques if c.candidate == i])
        parts.append("\n".join([f"{i + 1}. {one_line(candidate.text)}", *words]))
    return parts


def advised(critiques: Sequence[Critique]) -> list[str]:
    """The critics' words, each under a word that says what it is."""
    return [f"Advice: {c.text.strip()}" for c in critiques if c.text.strip()]


def offered(tools: Sequence[Mapping[str, Any]]) -> str:
    """The tools' JSON schemas, one a line, under the form of a call; empty where there are none."""
    lines = [json.dumps(tool, ensure_ascii=False, separators=(",", ":")) for tool in tools]
    return "\n".join([f"{CALLING}\nTools:", *lines]) if lines else ""


def listed(commands: Sequence[str], head: str = "You can") -> str:
    """The admissible commands in one line, or one a line where a command has a comma of its own."""
    if any("," in command for command in commands):
        return "\n".join([f"{head}:", *commands])
    return f"{head}: {', '.join(commands)}."


def _exchanges(view: View) -> Iterator[tuple[str, Turn | None]]:
    """Each user message with the turn that answered it; None for the one that waits for an answer."""
    history, items = view.history, view.context
    first = history[0].index if history else view.turn
    user = [*task(view), *standing(items, "message", 0)]
    if first > 0:
        user.append(left_out(first))
        if not history:
            user.append(observed(view.observation, items, first))
        user += standing(items, "message", first)
    for turn in history:
        yield _joined(user), turn
        place = turn.index + 1
        user = [observed(outcome(turn), items, place), *standing(items, "message", place)]
    yield _joined(user), None


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(p for p in parts if p) or EMPTY
