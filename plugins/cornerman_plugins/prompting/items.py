"""The words of critics, memories and protocols, and the answers of the environment, as lines of a prompt."""

from __future__ import annotations

from collections.abc import Iterable

from cornerman.engine.view import View
from cornerman.records import ContextItem, Placement, Turn

HEADS = {"guidance": "Advice", "experience": "Experience", "policy": "Rule"}
EMPTY = "(nothing)"
"""Stands where a text is empty: many chat templates and servers refuse a message without content."""


def worded(item: ContextItem) -> str:
    """The item's text under a word that says what it is; the engine's own remarks stand alone."""
    return item.text if item.source == "engine" else f"{HEADS[item.role]}: {item.text}"


def standing(items: Iterable[ContextItem], placement: Placement, at: int | None = None) -> list[str]:
    """The words of one placement, in the order in which they came; `at` only those of one place."""
    return [worded(i) for i in items if i.placement == placement and (at is None or i.at == at)]


def task(view: View) -> list[str]:
    """The goal, unless the opening says it already, and the opening with what was put beside it."""
    goal = view.goal.strip()
    stated = [] if not goal or goal in view.opening else [f"Task: {goal}"]
    return [*stated, observed(view.opening, view.context, 0)]


def observed(observation: str, items: Iterable[ContextItem], at: int) -> str:
    """An observation with the suffixes that belong to it; `at` is the number of turns played when it came."""
    return "\n".join(t for t in (observation.strip(), *standing(items, "suffix", at)) if t)


def outcome(turn: Turn) -> str:
    """What answered a turn. A thought is acknowledged as by ReAct's environment; a request is answered in words."""
    if turn.executed is not None:
        return turn.shown
    return {"think": "OK.", "request": ""}.get(turn.kind, "Nothing was done.")


def left_out(turns: int) -> str:
    """Says that the history window leaves earlier turns out."""
    return f"[{turns} earlier turn{'' if turns == 1 else 's'} left out.]"


def one_line(text: str | None) -> str:
    """A text without line breaks, so that it cannot pose as other lines of a transcript."""
    return " ".join((text or "").split()) or EMPTY
