"""The state of a BabyAI level as a frozen value, and a world that can be set to one and moved."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import numpy as np

CARRIED, GONE = -1, -2
STATUS = ("open", "closed", "locked")
Move = Literal["left", "right", "forward", "pickup", "drop", "toggle"]


class State(msgspec.Struct, frozen=True):
    """Everything that changes.

    `x`, `y` and `facing` (0 east, 1 south, 2 west, 3 north) are the agent's. `places` has the cell of every thing,
    numbered row by row, or `CARRIED` or `GONE`; `doors` the index in `STATUS` of every door. The rest is what
    minigrid's verifier remembers: which parts of each compound instruction are done, what was carried when each simple
    one was last looked at (-1 for nothing), and where it believes the things that it names to be. `end` tells how it
    ended.
    """

    x: int
    y: int
    facing: int
    places: tuple[int, ...]
    doors: tuple[int, ...]
    done: tuple[tuple[bool, bool], ...]
    before: tuple[int, ...]
    believed: tuple[tuple[int, ...], ...]
    end: Literal["", "won", "lost"] = ""


class World:
    """A made level of minigrid (see `levels.make_level`), which is its own: `load` a state, `do` moves, `save` it."""

    def __init__(self, level: Any) -> None:
        self.level = level
        self.width = int(level.grid.width)
        found = [thing for thing in level.grid.grid if thing is not None and thing.type != "wall"]
        found += [] if level.carrying is None else [level.carrying]
        self.things: list[Any] = found + [thing.contains for thing in found if thing.contains is not None]
        self.doors = [thing for thing in self.things if thing.type == "door"]
        self.simple = list(simple(level.instrs))
        self.compound = list(compound(level.instrs))
        self.descriptions = [d for one in self.simple for d in descriptions(one)]
        self._number = {id(thing): number for number, thing in enumerate(self.things)}
        self._empty = [cell if cell is not None and cell.type == "wall" else None for cell in level.grid.grid]
        self.end: Literal["", "won", "lost"] = ""
        self._at: State | None = None

    def save(self) -> State:
        """The present state."""
        if self._at is None:
            level, places = self.level, [GONE] * len(self.things)
            for cell, thing in enumerate(level.grid.grid):
                if thing is not None and thing.type != "wall":
                    places[self._number[id(thing)]] = cell
            if level.carrying is not None:
                places[self._number[id(level.carrying)]] = CARRIED
            self._at = State(
                x=int(level.agent_pos[0]),
                y=int(level.agent_pos[1]),
                facing=int(level.agent_dir),
                places=tuple(places),
                doors=tuple(0 if door.is_open else 2 if door.is_locked else 1 for door in self.doors),
                done=tuple((both.a_done == "success", both.b_done == "success") for both in self.compound),
                before=tuple(self._index(getattr(one, "preCarrying", None)) for one in self.simple),
                believed=tuple(tuple(int(y * self.width + x) for x, y in d.obj_poss) for d in self.descriptions),
                end=self.end,
            )
        return self._at

    def load(self, state: State) -> None:
        """Make a state of this world the present one. Raises ValueError where it is none."""
        if state is self._at:
            return
        self._look_through(state)
        level = self.level
        level.agent_pos, level.agent_dir, level.carrying = (state.x, state.y), state.facing, None
        level.grid.grid = list(self._empty)
        for thing, place in zip(self.things, state.places, strict=True):
            thing.cur_pos = (place % self.width, place // self.width) if place >= 0 else np.array((-1, -1))
            if place >= 0:
                level.grid.grid[place] = thing
            elif place == CARRIED:
                level.carrying = thing
        for door, status in zip(self.doors, state.doors, strict=True):
            door.is_open, door.is_locked = status == 0, status == 2
        for both, (first, second) in zip(self.compound, state.done, strict=True):
            both.a_done, both.b_done = first and "success", second and "success"
        for one, before in zip(self.simple, state.before, strict=True):
            one.preCarrying = None if before < 0 else self.things[before]
        for description, cells in zip(self.descriptions, state.believed, strict=True):
            description.obj_poss = [(cell % self.width, cell // self.width) for cell in cells]
        self.end, self._at = state.end, state

    def do(self, move: Move) -> bool:
        """One of minigrid's moves; whether the instruction was carried out or failed by it.

        Success is a terminated level with a reward above 0. How high that reward is, is discounted by the number of
        moves, and of no account here.
        """
        self._at = None
        _, reward, terminated, _, _ = self.level.step(self.level.actions[move])
        if terminated:
            self.end = "won" if reward > 0 else "lost"
        return bool(terminated)

    def _index(self, thing: Any) -> int:
        return -1 if thing is None else self._number[id(thing)]

    def _look_through(self, state: State) -> None:
        """A state from outside must not put anything into a wall or beyond the grid."""
        free = [cell for cell, wall in enumerate(self._empty) if wall is None]
        placed = [place for place in state.places if place >= 0]
        sound = (
            0 <= state.x < self.width
            and state.y * self.width + state.x in free
            and state.facing in range(4)
            and len(state.places) == len(self.things)
            and set(placed) <= set(free)
            and len(set(placed)) == len(placed)
            and state.places.count(CARRIED) <= 1
            and all(place >= GONE for place in state.places)
            and all(status in range(3) for status in state.doors)
            and (len(state.doors), len(state.done), len(state.before), len(state.believed))
            == (len(self.doors), len(self.compound), len(self.simple), len(self.descriptions))
            and all(-1 <= before < len(self.things) for before in state.before)
            and all(0 <= cell < len(self._empty) for cells in state.believed for cell in cells)
        )
        if not sound:
            raise ValueError("it is no state of this world")


def simple(instruction: Any) -> list[Any]:
    """The simple instructions (go to, open, pick up, put next) that an instruction consists of, in order of reading."""
    return [instruction] if not _parts(instruction) else [one for part in _parts(instruction) for one in simple(part)]


def compound(instruction: Any) -> list[Any]:
    """The compound instructions (and, then, after) in it, itself included."""
    parts = _parts(instruction)
    return [instruction, *(one for part in parts for one in compound(part))] if parts else []


def pending(instruction: Any) -> list[Any]:
    """The simple instructions that remain, in an order in which they can be carried out."""
    parts = _parts(instruction)
    if not parts:
        return [instruction]
    first, second = parts
    left = [] if instruction.a_done == "success" else pending(first)
    right = [] if instruction.b_done == "success" else pending(second)
    return right + left if type(instruction).__name__ == "AfterInstr" else left + right


def descriptions(one: Any) -> list[Any]:
    """What a simple instruction names: one description of things, or two for put next."""
    return [getattr(one, name) for name in ("desc", "desc_move", "desc_fixed") if hasattr(one, name)]


def _parts(instruction: Any) -> tuple[Any, ...]:
    return (instruction.instr_a, instruction.instr_b) if hasattr(instruction, "instr_a") else ()
