"""Plays Sokoban as an environment of Cornerman."""

from __future__ import annotations

import random
from typing import Annotated, Any, Literal

import msgspec

from cornerman.records import Task
from cornerman_envs.light.env import LightEnv
from cornerman_envs.light.grid import MOVES
from cornerman_envs.light.listing import parse

from .maker import make_room
from .rooms import Position
from .search import solve

RULES = (
    "# is a wall, _ is floor, . is a target, $ is a box, * is a box on a target, @ is you, + is you on a target. "
    "Move with up, down, left or right; walking into a box pushes it, if what is behind it is free. "
    "Push every box onto a target."
)
UNKNOWN = "Could not understand that. Use: up, down, left or right."


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`size` of the room, outer walls included; number of `boxes`; `part`, the split that the room belongs to."""

    size: Annotated[int, msgspec.Meta(ge=5, le=7)] = 6
    boxes: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1
    part: Literal["train", "dev", "test"] | None = None


class State(msgspec.Struct, frozen=True):
    """Where the player and the boxes are; cells are numbered row by row from 0."""

    player: int
    boxes: tuple[int, ...]

    @property
    def position(self) -> Position:
        """The state as the search knows it."""
        return Position(self.player, frozenset(self.boxes))


class SokobanEnv(LightEnv[State]):
    """One room. The score is the share of boxes that stand on targets now, so that a reward can be negative.

    Solved ends the game. A room from which nothing wins any more goes on: the player is not told.
    """

    state_type = State
    goal = "push every box onto a target"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        settings = parse(Settings, task)
        self.room, self.first = make_room(settings.size, settings.boxes, task.seed, settings.part)

    def start(self, seed: int) -> State:
        """Every box and the player where the maker put them."""
        return _state(self.first)

    def opening(self) -> str:
        """The rules and the room."""
        return f"{RULES}\n\n{self.room.draw(self.first)}"

    def look(self, state: State) -> str:
        """The room as it is."""
        return self.room.draw(state.position)

    def play(self, state: State, action: str) -> tuple[State, str]:
        """Step or push."""
        if action not in MOVES:
            return state, UNKNOWN
        after = self.room.moved(state.position, action)
        if after is None:
            return state, f"You cannot move {action}.\n{self.look(state)}"
        return _state(after), self.room.draw(after)

    def score(self, state: State) -> float:
        """The share of boxes on targets."""
        return len(self.room.targets.intersection(state.boxes)) / len(self.room.targets)

    def won(self, state: State) -> bool:
        """Whether every box is on a target."""
        return self.room.solved(state.position)

    def admissible(self, state: State) -> list[str]:
        """The moves that step or push."""
        return [move for move in MOVES if self.room.moved(state.position, move) is not None]

    def plan(self, state: State) -> list[str] | None:
        """The fewest moves to a solution, or None where the room cannot be solved any more; see `search`."""
        return solve(self.room, state.position)

    def consistent(self, state: State, number: int, chance: random.Random) -> list[State]:
        """None but the real one. Every wall, box and target is shown."""
        return []

    def hidden(self, state: State) -> dict[str, Any]:
        """Cells, and whether the room can still be solved."""
        return {
            "size": self.room.size,
            "player": state.player,
            "boxes": list(state.boxes),
            "targets": sorted(self.room.targets),
            "solvable": self.plan(state) is not None,
        }


def _state(position: Position) -> State:
    return State(position.player, tuple(sorted(position.boxes)))
