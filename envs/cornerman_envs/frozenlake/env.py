"""Plays FrozenLake as an environment of Cornerman."""

from __future__ import annotations

import functools
import itertools
import random
from collections import deque
from typing import Annotated, Any, Literal

import msgspec

from cornerman.records import Task
from cornerman.seeds import derive, generator
from cornerman_envs.light.env import LightEnv
from cornerman_envs.light.grid import MOVES, drawn
from cornerman_envs.light.listing import parse

from .maps import make_map

HORIZON = 60
"""How many moves ahead gold looks on slippery ice."""

SIDEWAYS = {"up": ("left", "right"), "down": ("left", "right"), "left": ("up", "down"), "right": ("up", "down")}
SYMBOLS = {"grid": {"player": "P", "ice": ".", "hole": "O", "goal": "G"}}
SYMBOLS["symbols"] = {"player": "A", "ice": "C", "hole": "B", "goal": "D"}
RULES = (
    "P is you, . is ice, O is a hole, G is the goal. Move with up, down, left or right. "
    "Reach the goal; do not fall into a hole."
)
SLIPS = " The ice is slippery: a move may take you to the side instead."
UNKNOWN = "Could not understand that. Use: up, down, left or right."


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`size`; `slippery` ice; `observation`, a "grid" with the rules or "symbols" without; `part`, the map's split."""

    size: Annotated[int, msgspec.Meta(ge=3, le=6)] = 4
    slippery: bool = False
    observation: Literal["grid", "symbols"] = "grid"
    part: Literal["train", "dev", "test"] | None = None


class State(msgspec.Struct, frozen=True):
    """Where the player stands, how many moves were made, and the seed of the slips."""

    cell: int
    moves: int = 0
    seed: int = 0


@functools.lru_cache(maxsize=4096)
def slip(seed: int, moves: int) -> int:
    """Where a move on slippery ice goes: 0 ahead, 1 or 2 to a side."""
    return generator("slip", seed, moves).randrange(3)


class FrozenLakeEnv(LightEnv[State]):
    """One map. The score is 1 at the goal, else 0; the goal ends the game, and so does a hole.

    On slippery ice a move goes where it should, or to either side, with a chance of a third each, as in Gymnasium's
    FrozenLake. Chance is a function of the seed given to `reset` and the number of moves, so that a replay slips alike;
    slips with which nothing wins within `HORIZON` moves are passed over.
    """

    state_type = State

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._settings = parse(Settings, task)
        self.map = make_map(self._settings.size, task.seed, self._settings.part)
        told = self._settings.observation == "grid"
        self.goal = "reach the goal without falling into a hole" if told else "solve the puzzle"

    def start(self, seed: int) -> State:
        """The player at the start."""
        if not self._settings.slippery:
            return State(self.map.start)
        chances = (State(self.map.start, seed=derive(seed, number)) for number in itertools.count())
        return next(state for state in chances if self.plan(state) is not None)

    def opening(self) -> str:
        """The rules, where they are told, and the map."""
        map_ = self.look(State(self.map.start))
        if self._settings.observation == "symbols":
            return f"Solve the puzzle. Actions: {', '.join(MOVES)}.\n\n{map_}"
        return f"{RULES}{SLIPS if self._settings.slippery else ''}\n\n{map_}"

    def look(self, state: State) -> str:
        """The map with the player on it."""
        symbols = SYMBOLS[self._settings.observation]
        cells = [symbols["ice"]] * self.map.size**2
        for hole in self.map.holes:
            cells[hole] = symbols["hole"]
        cells[self.map.goal] = symbols["goal"]
        cells[state.cell] = symbols["player"]
        return drawn(cells, self.map.size)

    def play(self, state: State, action: str) -> tuple[State, str]:
        """Move, or slip."""
        if action not in MOVES:
            return state, UNKNOWN
        after = self._after(state, action)
        if self._settings.observation == "symbols":
            return after, self.look(after)
        words = {
            self.won(after): "You reach the goal.\n",
            self.lost(after): "You fall into a hole.\n",
            after.cell == state.cell: "You stay where you are.\n",
        }
        return after, words.get(True, "") + self.look(after)

    def _after(self, state: State, move: str) -> State:
        if self._settings.slippery:
            move = (move, *SIDEWAYS[move])[slip(state.seed, state.moves)]
        return State(self.map.moved(state.cell, move), state.moves + 1, state.seed)

    def score(self, state: State) -> float:
        """1 at the goal."""
        return float(self.won(state))

    def won(self, state: State) -> bool:
        """Whether the player is at the goal."""
        return state.cell == self.map.goal

    def lost(self, state: State) -> bool:
        """Whether the player is in a hole."""
        return state.cell in self.map.holes

    def admissible(self, state: State) -> list[str]:
        """The four moves."""
        return list(MOVES)

    def plan(self, state: State) -> list[str] | None:
        """The shortest way, by breadth-first search; on slippery ice, one that reckons with the slips to come.

        There a state of the search is a cell at a number of moves, up to `HORIZON` from now; None where that leads
        nowhere.
        """
        moves = state.moves
        ways: dict[tuple[int, int], list[str]] = {self._key(state): []}
        waiting = deque([state])
        while waiting:
            here = waiting.popleft()
            for move in MOVES:
                after = self._after(here, move)
                if self.won(after):
                    return [*ways[self._key(here)], move]
                if not self.lost(after) and after.moves - moves < HORIZON and self._key(after) not in ways:
                    ways[self._key(after)] = [*ways[self._key(here)], move]
                    waiting.append(after)
        return None

    def _key(self, state: State) -> tuple[int, int]:
        return state.cell, state.moves if self._settings.slippery else 0

    def consistent(self, state: State, number: int, chance: random.Random) -> list[State] | None:
        """The map is shown, so that only slips to come are hidden; with symbols nobody says what they mean: None."""
        if self._settings.observation == "symbols":
            return None
        if not self._settings.slippery:
            return []
        drawn = [State(state.cell, state.moves, chance.getrandbits(63)) for _ in range(number)]
        return [other for other in drawn if self.plan(other) is not None]

    def hidden(self, state: State) -> dict[str, Any]:
        """Cells, numbered row by row from 0."""
        return {
            "size": self.map.size,
            "player": state.cell,
            "goal": self.map.goal,
            "holes": sorted(self.map.holes),
            "moves": state.moves,
        }
