"""What the two engines, ours and the stock one, have in common."""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

from cornerman_envs.alfworld.engine import Fact


class Moment(Protocol):
    """A state of a game in play."""

    moves: int
    """Commands that did something, since the start."""

    def fork(self) -> Self:
        """An independent copy."""
        ...

    def to_json(self) -> dict[str, object]:
        """A JSON object from which the state's class can make it anew."""
        ...


M = TypeVar("M", bound=Moment)


class TextGame(Protocol[M]):
    """A loaded game; play changes states, never the game."""

    @property
    def walkthrough(self) -> list[str] | None:
        """Commands that win, where the file has them."""
        ...

    @property
    def intro(self) -> str:
        """The first observation, task included."""
        ...

    def reset(self) -> M:
        """The state at the start."""
        ...

    def step(self, state: M, command: str) -> str:
        """Run a command in place; the feedback."""
        ...

    def admissible(self, state: M) -> list[str]:
        """The commands that do something now, sorted."""
        ...

    def won(self, state: M) -> bool:
        """Whether the goal holds now."""
        ...

    def facts(self, state: M) -> list[Fact]:
        """Everything that holds, in players' names, in no promised order."""
        ...
