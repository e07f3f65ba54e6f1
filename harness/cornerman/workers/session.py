"""One environment, opened for one episode, wherever it runs.

The engine talks to a `Session` and never to an environment. `host` holds the only code that touches an environment, so
that inline sessions and worker processes cannot differ in what they do.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, Protocol, SupportsFloat

import msgspec

from cornerman.dialogue import Said, UserMessage
from cornerman.environment import MAX_TEXT, EnvironmentSpec, Info, Step, TextEnv
from cornerman.errors import EnvError
from cornerman.records import Task


class Session(Protocol):
    """An open environment. Every method raises `EnvError` or `EpisodeTimeout`, nothing else of the environment's."""

    async def reset(self) -> Step:
        """Back to the beginning of the task."""
        ...

    async def step(self, action: str) -> Step:
        """Execute one action."""
        ...

    async def reply(self, text: str) -> Step:
        """Give the user's words, where the last step asks for them."""
        ...

    async def gold(self) -> list[str] | None:
        """Actions that win from here; None when there are none any more."""
        ...

    async def facts(self) -> Any:
        """The hidden state, as JSON."""
        ...

    async def consistent_states(self, number: int, seed: int) -> list[Any] | None:
        """Snapshots of states in which all that has been shown would have been; see `TextEnv.consistent_states`."""
        ...

    async def snapshot(self) -> Any | None:
        """A JSON value to return to, or None when only a replay can."""
        ...

    async def restore(self, snapshot: Any) -> Step:
        """Return to a snapshot."""
        ...

    async def close(self) -> None:
        """Give the environment back. Idempotent."""
        ...


class Sessions(Protocol):
    """Opens sessions; a pool of workers, or the process itself."""

    async def open(self, task: Task, *, fork: bool = False) -> Session:
        """A fresh environment for the task. Forks draw on a reserve, so that they never wait for their own parent."""
        ...

    async def close(self) -> None:
        """End every worker."""
        ...


def observation_hash(observation: str) -> str:
    """The 16 hex digits by which a replay recognises an observation."""
    return hashlib.blake2b(observation.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _text(value: Any, what: str = "observation") -> str:
    """Text that a record can hold: halves of a surrogate pair are joined, and a half alone is replaced."""
    if not isinstance(value, str):
        raise EnvError(f"the environment's {what} is {type(value).__name__}, where text was due")
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text[:MAX_TEXT]


def _number(value: SupportsFloat, what: str) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise EnvError(f"the environment's {what} is {number}, no finite number")
    return number


def _score(value: SupportsFloat) -> float:
    score = _number(value, "score")
    if not -1e-9 <= score <= 1 + 1e-9:
        raise EnvError(f"the environment's score is {score:g}, outside of 0 to 1")
    return score


def _user(value: Any) -> UserMessage | None:
    """What the environment tells its user, with text that a record can hold."""
    if value is None:
        return None
    try:
        told = msgspec.convert(msgspec.to_builtins(value), UserMessage)  # a copy: plug-ins get it
    except (TypeError, ValueError, RecursionError) as error:
        raise EnvError(f"the environment's info['user'] is no message to a user: {error}") from error
    said = tuple(Said(role=s.role, content=_text(s.content, "dialogue")) for s in told.dialogue)
    return msgspec.structs.replace(told, message=_text(told.message, "message to the user"), dialogue=said)


class Host:
    """An environment instance behind the operations of a session, in this process and thread."""

    def __init__(self, spec: EnvironmentSpec, task: Task) -> None:
        self.spec, self.task = spec, task
        self.env = spec.make(task)

    def _step(self, observation: Any, reward: SupportsFloat, terminated: bool, truncated: bool, info: Info) -> Step:
        admissible = info.get("admissible_actions")
        return Step(
            observation=_text(observation),
            reward=_number(reward, "reward"),
            score=_score(info.get("score", 0.0)),
            success=bool(info.get("success", False)),
            terminated=bool(terminated),
            truncated=bool(truncated),
            admissible=None if admissible is None else tuple(_text(a, "admissible action") for a in admissible),
            goal=_text(info.get("goal", ""), "goal"),
            policy=_text(info.get("policy", ""), "policy"),
            tools=info.get("tools"),
            user=_user(info.get("user")),
        )

    def reset(self) -> Step:
        """Reset with the task's own seed."""
        observation, info = self.env.reset(seed=self.task.seed if self.spec.seedable else None)
        return self._step(observation, 0.0, False, False, info)

    def step(self, action: str) -> Step:
        """Execute one action, cut to the bound of the action space."""
        return self._step(*self.env.step(action[:MAX_TEXT]))

    def _base(self) -> TextEnv:
        env = self.env.unwrapped
        if not isinstance(env, TextEnv):
            raise EnvError(f"{self.spec.id} is no TextEnv: it has no user, gold actions, facts or snapshots")
        return env

    def reply(self, text: str) -> Step:
        """Give the user's words, cut as an action is."""
        return self._step(*self._base().reply(text[:MAX_TEXT]))

    def gold(self) -> list[str] | None:
        """Gold actions from here."""
        return self._base().gold()

    def facts(self) -> Any:
        """Hidden state."""
        return self._base().facts()

    def consistent_states(self, number: int, seed: int) -> list[Any] | None:
        """Other states that fit what has been shown; None where the environment knows of none."""
        env = self.env.unwrapped
        return env.consistent_states(number, seed) if isinstance(env, TextEnv) else None

    def snapshot(self) -> Any | None:
        """Snapshot, where the environment has one."""
        return self._base().snapshot()

    def restore(self, snapshot: Any) -> Step:
        """Return to a snapshot."""
        observation, info = self._base().restore(snapshot)
        return self._step(observation, 0.0, False, False, info)

    def close(self) -> None:
        """Close the environment."""
        self.env.close()
