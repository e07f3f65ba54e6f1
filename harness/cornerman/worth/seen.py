"""Labels by what was seen: is an action right in some state in which all would have been shown that was."""

from __future__ import annotations

from typing import Any, Literal

from cornerman.environment import Step
from cornerman.workers.session import Session

Label = Literal["right", "neutral", "wrong"]
"""right: the way to win that gold knows is shorter after the action. neutral: as long. wrong: longer, or lost."""

STATES = 64
"""Most states that an environment is asked for at one moment."""


def compare(before: list[str], after: list[str] | None) -> Label:
    """The label of an action from gold's ways before and after it."""
    if after is None or len(after) > len(before):
        return "wrong"
    return "right" if len(after) < len(before) else "neutral"


async def way(session: Session, step: Step) -> list[str] | None:
    """Gold's way to win after a step; None where there is none any more."""
    if step.success:
        return []
    return None if step.terminated else await session.gold()


class Consistent:
    """The states of one moment that fit what was seen, as `TextEnv.consistent_states` lists them.

    Some may be the real one again, which changes no label. The session is left in another state than it was.
    """

    def __init__(self, session: Session, states: list[Any]) -> None:
        self._session = session
        self._states = states
        self._ways: dict[int, list[str] | None] = {}

    async def label(self, action: str, full: Label) -> Label:
        """The label of an action, `full` being its label in the real state.

        right: gold's way is shorter after it in some state. wrong: in every state it is longer, or there is none any
        more. neutral: the rest, such as looking for something where it may be and where the way there is as long.
        """
        found = {full}
        for number, state in enumerate(self._states):
            if "right" in found:
                break
            await self._session.restore(state)
            if number not in self._ways:
                self._ways[number] = await self._session.gold()
            before = self._ways[number]
            if before:
                found.add(compare(before, await way(self._session, await self._session.step(action))))
        return "right" if "right" in found else "neutral" if "neutral" in found else "wrong"


async def consistent(session: Session, seed: int) -> Consistent | None:
    """The states that fit what the session has shown since its reset; None where the environment knows of none."""
    states = await session.consistent_states(STATES, seed)
    return None if states is None else Consistent(session, states)
