"""An environment and its user in turn, until the agent has something to answer again.

Episodes ask a user plug-in and record what it says; a replay takes the replies from the record; validation, a person
who plays and the conformance kit ask one and record nothing. All of them go through `settle`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from cornerman.dialogue import UserMessage
from cornerman.environment import Step
from cornerman.errors import NotReproducible, UserError
from cornerman.workers.session import Session

Ask = Callable[[UserMessage], Awaitable[str]]
"""Whoever speaks for the user: what it is told, and what it answers."""

MOST_REPLIES = 50
"""Replies of a user to one action, its tool calls included; a user that goes on after them talks to nobody."""


def awaited(step: Step) -> UserMessage | None:
    """What the environment tells its user, where it waits for one."""
    return None if step.terminated or step.truncated else step.user


async def settle(session: Session, step: Step, ask: Ask) -> Step:
    """The step after the user's last reply; its reward is the sum of all rewards since the agent acted.

    Raises `UserError` when the environment still asks after `MOST_REPLIES` replies.
    """
    reward, replies = step.reward, 0
    while (message := awaited(step)) is not None:
        if replies == MOST_REPLIES:
            raise UserError(f"the user replied {replies} times to one action, and the environment still asks it")
        step = await session.reply(await ask(message))
        reward, replies = reward + step.reward, replies + 1
    return msgspec.structs.replace(step, reward=reward) if replies else step


async def retell(session: Session, step: Step, replies: Sequence[str], where: str) -> Step:
    """Settle with recorded replies. Raises `NotReproducible` unless the environment asks for exactly these."""
    left = list(replies)

    async def next_reply(message: UserMessage) -> str:
        if not left:
            raise NotReproducible(f"the environment asks its user {where}, where the record has no reply left")
        return left.pop(0)

    step = await settle(session, step, next_reply)
    if left:
        raise NotReproducible(f"the environment does not ask its user {where}, where {len(left)} replies are recorded")
    return step


class WithUser:
    """A session whose user is answered by `ask`, for where nothing is recorded."""

    def __init__(self, session: Session, ask: Ask) -> None:
        self._session, self._ask = session, ask

    async def reset(self) -> Step:
        """Back to the beginning of the task, as the agent finds it."""
        return await settle(self._session, await self._session.reset(), self._ask)

    async def step(self, action: str) -> Step:
        """Execute one action and let the user answer."""
        return await settle(self._session, await self._session.step(action), self._ask)

    async def reply(self, text: str) -> Step:
        """Give the user's words."""
        return await self._session.reply(text)

    async def gold(self) -> list[str] | None:
        """Actions that win from here."""
        return await self._session.gold()

    async def facts(self) -> Any:
        """The hidden state."""
        return await self._session.facts()

    async def consistent_states(self, number: int, seed: int) -> list[Any] | None:
        """Other states that fit what has been shown."""
        return await self._session.consistent_states(number, seed)

    async def snapshot(self) -> Any | None:
        """A JSON value to return to."""
        return await self._session.snapshot()

    async def restore(self, snapshot: Any) -> Step:
        """Return to a snapshot."""
        return await settle(self._session, await self._session.restore(snapshot), self._ask)

    async def close(self) -> None:
        """Give the environment back."""
        await self._session.close()
