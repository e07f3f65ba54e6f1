"""A prompt that is longer than its model's context, by the protocol's word `on_overflow`.

"truncate" asks the plug-in again with half as many of the newest turns in `view.history`, and again, until its prompt
fits; that many are shown to it for the rest of the attempt, so that a prefix cache keeps what it has. How many stands
in the states of the attempt, from which a fork goes on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from cornerman.errors import ContextOverflow

if TYPE_CHECKING:
    from cornerman.engine.branch import Branch
    from cornerman.engine.window import Window

STATE = "overflow"
"""The key among an attempt's states: turns shown, by plug-in instance."""


def truncating(window: Window) -> Branch | None:
    """The attempt that a plug-in's window shows, where its protocol truncates; else None."""
    branch = window._branch
    return branch if branch.scope.on_overflow == "truncate" else None


def shown(branch: Branch, key: str) -> int | None:
    """How many of the newest turns a plug-in instance is shown; None for all."""
    turns: int | None = branch.states.get(STATE, {}).get(key)
    return turns


async def shortened(branch: Branch, key: str, answer: Awaitable[Any], again: Callable[[], Awaitable[Any]]) -> Any:
    """Await a hook's answer, asking again with fewer turns while its prompt is too long. Raises when none is left."""
    while True:
        try:
            return await answer
        except ContextOverflow:
            now = shown(branch, key)
            before = len(branch.turns) if now is None else min(now, len(branch.turns))
            if not before:
                raise
            branch.state(STATE)[key] = before // 2
            answer = again()
