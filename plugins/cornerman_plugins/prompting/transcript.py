"""A trajectory as a critic reads it: text in one user message, with the question about it at the end.

Every line that the environment wrote is quoted with "> ", and actions and words (these in brackets) are kept to a line
each, so that nothing in them can pose as another turn, as advice, or as the question. The text of a turn begins with
the text of the turn before, for the sake of a prefix cache.
"""

from __future__ import annotations

from collections.abc import Iterator

from cornerman.engine.view import View
from cornerman.records import Message, Turn
from cornerman_plugins.prompting.chat import listed
from cornerman_plugins.prompting.items import left_out, one_line, outcome, worded


def consultation(
    view: View, system: str, question: str, *, window: int | None = None, commands: bool = False
) -> list[Message]:
    """System message and transcript with a question. Needs `history` and `policy`, and `admissible` for `commands`.

    window: how many of the last turns are shown, None for all. commands: list what the agent can do now.
    """
    parts = [transcript(view, window)]
    if commands and view.admissible:
        parts.append(listed([one_line(c) for c in view.admissible], "Now the agent can"))
    return [
        Message(role="system", content="\n\n".join([system, *bound(view)])),
        Message(role="user", content="\n\n".join([*parts, question])),
    ]


def bound(view: View) -> list[str]:
    """That the agent has to keep its domain's rules, if there are any, and the rules, unless the opening has them."""
    rules = view.policy.strip()
    if not rules:
        return []
    if rules in view.opening:
        return ["The agent must keep the rules that its task begins with."]
    return [f"The agent must keep these rules:\n{rules}"]


def transcript(view: View, window: int | None = None) -> str:
    """The trajectory so far; turns are counted from 1."""
    return "\n".join(_lines(view, window))


def did(turn: Turn) -> str:
    """What the agent did in a turn, in one line."""
    if turn.executed is not None:
        return f"`{one_line(turn.executed)}`"
    if turn.kind == "request":
        return f"asked: {one_line(turn.request.question if turn.request else '')}"
    if turn.kind == "think":
        return f"thought: {one_line(turn.candidates[0].thought if turn.candidates else '')}"
    return "was stopped from acting"


def quoted(text: str) -> str:
    """A text with every line marked as the environment's."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def _lines(view: View, window: int | None) -> Iterator[str]:
    history = view.history if window is None else view.history[max(0, len(view.history) - window) :]
    first = history[0].index if history else view.turn
    yield f"Task: {one_line(view.goal)}"
    yield from _words(view, "system", None)
    yield quoted(view.opening)
    yield from _beside(view, 0)
    if first > 0:
        yield left_out(first)
        if not history:
            yield quoted(view.observation)
        yield from _beside(view, first)
    for turn in history:
        yield f"Turn {turn.index + 1}: {did(turn)}"
        if answer := outcome(turn):
            yield quoted(answer)
        yield from _beside(view, turn.index + 1)


def _beside(view: View, at: int) -> Iterator[str]:
    """What the agent was told after `at` turns."""
    yield from _words(view, "suffix", at)
    yield from _words(view, "message", at)


def _words(view: View, placement: str, at: int | None) -> Iterator[str]:
    for item in view.context:
        if item.placement == placement and (at is None or item.at == at):
            yield f"[{one_line(worded(item))}]"
