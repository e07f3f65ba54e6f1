"""Plays a small game whose states are frozen values."""

from __future__ import annotations

import abc
import random
from typing import Any, Generic, TypeVar

import gymnasium
import msgspec

from cornerman.environment import Info, TextEnv
from cornerman.errors import EnvError
from cornerman.records import Task

OVER = "The game is over."
"""The answer to every action after the end."""

S = TypeVar("S", bound=msgspec.Struct)


class LightEnv(TextEnv, Generic[S]):
    """Base class: a game says how it starts, what an action does, and how a state is judged.

    `state_type` is the frozen struct of its states. Actions come to `play` in lower case, with single spaces. The game
    is made from its task alone; the seed given to `reset` reaches `start`, for games that chance has a part in.
    """

    state_type: type[S]
    goal: str = ""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task
        self._state: S | None = None

    @abc.abstractmethod
    def start(self, seed: int) -> S:
        """The state at the beginning."""

    @abc.abstractmethod
    def opening(self) -> str:
        """What is shown at the beginning; the start's `look` included, where the game has one."""

    @abc.abstractmethod
    def look(self, state: S) -> str:
        """What a state looks like; the observation after `restore`."""

    @abc.abstractmethod
    def play(self, state: S, action: str) -> tuple[S, str]:
        """The state after an action and the answer to it. What is not understood changes nothing."""

    @abc.abstractmethod
    def score(self, state: S) -> float:
        """The cumulative score, in [0, 1]."""

    @abc.abstractmethod
    def won(self, state: S) -> bool:
        """Whether the goal is reached."""

    def lost(self, state: S) -> bool:
        """Whether the game has ended without success."""
        return False

    @abc.abstractmethod
    def admissible(self, state: S) -> list[str]:
        """The actions that do something now."""

    @abc.abstractmethod
    def plan(self, state: S) -> list[str] | None:
        """Actions that win from a state of a game that has not ended; None when nothing does."""

    @abc.abstractmethod
    def hidden(self, state: S) -> Any:
        """The whole state as a JSON value."""

    def consistent(self, state: S, number: int, chance: random.Random) -> list[S] | None:
        """States in which all that led to this one would have been shown; see `TextEnv.consistent_states`."""
        return None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Open the game. No options are known."""
        gymnasium.Env.reset(self, seed=seed)
        self._state = self.start(self.task.seed if seed is None else seed)
        return self.opening(), self._info(self._state)

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Execute one action. The reward is the increment of the score; it is negative where a game takes back."""
        state = self._opened()
        if self._ended(state):
            return OVER, 0.0, True, False, self._info(state)
        self._state, answer = self.play(state, " ".join(action.lower().split()))
        info = self._info(self._state)
        return answer, info["score"] - self.score(state), self._ended(self._state), False, info

    def gold(self) -> list[str] | None:
        """Actions that win from here; [] after winning, None when it cannot be won any more."""
        state = self._opened()
        if self.won(state):
            return []
        return None if self.lost(state) else self.plan(state)

    def facts(self) -> Any:
        """The whole state as a JSON value."""
        return self.hidden(self._opened())

    def consistent_states(self, number: int, seed: int) -> list[Any] | None:
        """Other states that fit what has been shown, as snapshots."""
        found = self.consistent(self._opened(), number, random.Random(seed))
        return None if found is None else [msgspec.to_builtins(state) for state in found]

    def snapshot(self) -> Any:
        """The state as a JSON value."""
        return msgspec.to_builtins(self._opened())

    def restore(self, snapshot: Any) -> tuple[str, Info]:
        """Return to a snapshot of the same task; the observation is how that state looks."""
        try:
            self._state = msgspec.convert(snapshot, self.state_type)
        except msgspec.ValidationError as error:
            raise EnvError(f"not a snapshot of {self.task.env}: {error}") from None
        return self.look(self._state), self._info(self._state)

    def _opened(self) -> S:
        if self._state is None:
            raise gymnasium.error.ResetNeeded("call reset first")
        return self._state

    def _ended(self, state: S) -> bool:
        return self.won(state) or self.lost(state)

    def _info(self, state: S) -> Info:
        return {
            "goal": self.goal,
            "success": self.won(state),
            "score": self.score(state),
            "admissible_actions": [] if self._ended(state) else self.admissible(state),
        }
