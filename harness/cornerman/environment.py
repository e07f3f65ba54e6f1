"""The contract of an environment: `gymnasium.Env[str, str]` with a few promises more.

An environment answers text with text. `reset(seed=…)` opens the task that its constructor was given; `step(action)`
returns Gymnasium's five values, and both fill `info` with

    goal                what is asked for, in words
    success             bool: solved; the environment alone defines it
    score               float in [0,1], cumulative; never mixed with the reward, which is the increment
    admissible_actions  list of str, where the environment can list them
    policy              rules that the agent must keep, where the domain has them
    tools               list of JSON schemas, where actions are tool calls: {"name", "description", "parameters"}
    user                present while the environment waits for its user, and not for the agent; see below

An environment that talks to a user leaves the user's words to the harness. With `info["user"]`, a dict of the fields of
`cornerman.dialogue.UserMessage`, it says that it is the user's turn, after `reset` too where the user speaks first;
`reply(text)` takes the words, or where the user has tools a call of one as JSON, and answers what `step` does. The
observation for the agent is that of the last answer; rewards add up. A token by which a user ends the talk is text like
any other and means what the environment makes of it. A step at the user's turn and a reply at the agent's change
nothing: the observation says so.

Hidden state and gold actions are methods, asked for only by plug-ins that declare to see them.

An environment that can tell what else could be so, for all that has been shown, lists such states in
`consistent_states`: then a critic can be judged by what was seen, and not only by what gold knows. That is optional.

Hostile text is normal: any Unicode string up to the bound of the action space is answered, never raised on.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import Any, Literal

import gymnasium
import msgspec
import numpy as np

from cornerman.dialogue import UserMessage
from cornerman.records import Task

MAX_TEXT = 100_000
"""Longest text, in characters, that an action may have and an observation is cut to."""

Info = dict[str, Any]


class AnyText(gymnasium.spaces.Space[str]):
    """All Unicode strings up to `max_length` characters.

    Gymnasium's own `Text` space knows only a fixed alphabet, and neither an observation in another language nor a
    hostile action is a member of it.
    """

    def __init__(self, max_length: int = MAX_TEXT, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)
        self.max_length = max_length

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """A short random string; masks have no meaning here and are refused."""
        if mask is not None or probability is not None:
            raise ValueError("AnyText.sample takes no mask and no probability")
        length = int(self.np_random.integers(1, 16))
        return "".join(chr(c) for c in self.np_random.integers(32, 0x24F, size=length))

    def contains(self, x: Any) -> bool:
        """True for every string within the bound."""
        return isinstance(x, str) and len(x) <= self.max_length

    @property
    def is_np_flattenable(self) -> bool:
        """Text has no array form."""
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText) and other.max_length == self.max_length

    def __hash__(self) -> int:
        return hash((AnyText, self.max_length))

    def __repr__(self) -> str:
        return f"AnyText(max_length={self.max_length})"


class TextEnv(gymnasium.Env[str, str], abc.ABC):
    """Base class of text environments: one instance plays one task; an episode gets an instance of its own."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self) -> None:
        self.observation_space = AnyText()
        self.action_space = AnyText()

    @abc.abstractmethod
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Open the task from its beginning; call this one first, it seeds `self.np_random`."""
        gymnasium.Env.reset(self, seed=seed, options=options)
        return "", {}

    @abc.abstractmethod
    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Execute one action: observation, reward increment, terminated, truncated, info."""

    def reply(self, text: str) -> tuple[str, float, bool, bool, Info]:
        """The user's words while `info["user"]` asks for them; answers the same five values as `step`."""
        raise NotImplementedError(f"{type(self).__name__} talks to no user")

    def gold(self) -> list[str] | None:
        """Actions that win from the present state, or None when it cannot be won any more.

        An environment of which `EnvironmentSpec.gold` is "script" answers from its starting line only: as long as the
        actions played so far are a prefix of the script, it returns the rest, else None.
        """
        raise NotImplementedError(f"{type(self).__name__} has no gold actions")

    def facts(self) -> Any:
        """The hidden state of this moment, as a JSON value."""
        raise NotImplementedError(f"{type(self).__name__} shows no hidden state")

    def consistent_states(self, number: int, seed: int) -> list[Any] | None:
        """Snapshots of other states of this moment in which all that has been shown would have been shown.

        At most `number`, drawn at random by `seed` where there are more; the real one may be among them. An empty list:
        nothing is hidden, and the real state is the only one. None: not known here, which is the default. Asking
        changes nothing.
        """
        return None

    def snapshot(self) -> Any | None:
        """A JSON value that `restore` takes, or None when the environment can only be replayed."""
        return None

    def restore(self, snapshot: Any) -> tuple[str, Info]:
        """Return to a snapshot; answers the observation and info of that state."""
        raise NotImplementedError(f"{type(self).__name__} has no snapshots")


class EnvironmentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What the harness must know about an environment before it makes one.

    `make(task)` builds an instance. `light` environments (pure Python, bounded steps of microseconds) run inline
    instead of in a worker process. `gold` says whether `TextEnv.gold` answers from any reachable state ("policy"), only
    along its script, or not at all. `user` says that it talks to a user, whom the rules of its suites have to name.
    `tasks(split)` lists every task of a split.
    """

    id: str
    make: Callable[[Task], gymnasium.Env[str, str]]
    light: bool = False
    seedable: bool = True
    gold: Literal["policy", "script", "none"] = "policy"
    user: bool = False
    splits: tuple[str, ...] = ()
    tasks: Callable[[str], list[Task]] | None = None
    assets: tuple[str, ...] = ()
    versions: Callable[[], Mapping[str, str]] | None = None


class Step(msgspec.Struct, frozen=True, array_like=True):
    """What an environment answered, as it crosses the boundary to a worker."""

    observation: str
    reward: float = 0.0
    score: float = 0.0
    success: bool = False
    terminated: bool = False
    truncated: bool = False
    admissible: tuple[str, ...] | None = None
    goal: str = ""
    policy: str = ""
    tools: Any = None
    user: UserMessage | None = None
