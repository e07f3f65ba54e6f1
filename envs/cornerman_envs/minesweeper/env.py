"""Plays Minesweeper as an environment of Cornerman."""

from __future__ import annotations

import random
import re
from typing import Annotated, Any, Literal

import msgspec

from cornerman.records import Task
from cornerman_envs.light.env import LightEnv
from cornerman_envs.light.grid import drawn
from cornerman_envs.light.listing import parse

from .boards import Board, make_board
from .layouts import Seen, layouts

ACTION = re.compile(r"(reveal|flag) ([0-9]{1,3})[ ,]+([0-9]{1,3})")
UNKNOWN = "Could not understand that. Use: reveal ROW COLUMN, or flag ROW COLUMN."


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`size` of the board; number of `mines`, at most a quarter of its cells; `part`, the split of the board."""

    size: Annotated[int, msgspec.Meta(ge=5, le=8)] = 6
    mines: Annotated[int, msgspec.Meta(ge=1, le=16)] = 5
    part: Literal["train", "dev", "test"] | None = None

    def __post_init__(self) -> None:
        most = self.size**2 // 4
        if self.mines > most:
            raise ValueError(f"mines = {self.mines} is too many for {self.size} rows; at most {most}")


class State(msgspec.Struct, frozen=True):
    """Cells revealed and flagged, numbered row by row from 0; the first one revealed; the mine that was hit.

    `mines` are those of another board than the task's, which shows the same so far.
    """

    revealed: tuple[int, ...] = ()
    flagged: tuple[int, ...] = ()
    first: int | None = None
    hit: int | None = None
    mines: tuple[int, ...] | None = None


class MinesweeperEnv(LightEnv[State]):
    """One board. The score is the share of safe cells that are revealed; all of them win, a mine loses.

    Rows and columns are counted from 1. The first reveal is always safe: a mine there is moved away. A flagged cell
    cannot be revealed until it is flagged again, which takes the flag off.
    """

    state_type = State

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        settings = parse(Settings, task)
        self.board = make_board(settings.size, settings.mines, task.seed, settings.part)
        self.goal = f"reveal every cell without a mine; {settings.mines} of {settings.size**2} cells have one"

    def start(self, seed: int) -> State:
        """Nothing is revealed."""
        return State()

    def opening(self) -> str:
        """The rules and the board."""
        size, mines = self.board.size, len(self.board.mines)
        return (
            f"The board has {size} rows and {size} columns, counted from 1, and {mines} mines. "
            "? is hidden, F is flagged, a number counts the mines in the cells around. "
            "Actions: reveal ROW COLUMN; flag ROW COLUMN, which sets or takes off a flag. "
            f"The first reveal is safe. Reveal every cell without a mine.\n\n{self.look(State())}"
        )

    def look(self, state: State) -> str:
        """The board with its numbers of rows and columns; after a loss `*` is the mine that was hit."""
        board, size = self._laid(state), self.board.size
        cells = ["?"] * size**2
        for cell in state.flagged:
            cells[cell] = "F"
        for cell in state.revealed:
            cells[cell] = str(board.count(cell))
        if state.hit is not None:
            cells[state.hit] = "*"
        rows = drawn(cells, size, gap=" ").split("\n")
        return "\n".join([" ".join(map(str, [" ", *range(1, size + 1)])), *(f"{n} {r}" for n, r in enumerate(rows, 1))])

    def _laid(self, state: State) -> Board:
        """The board as the first reveal has left it."""
        board = self.board if state.mines is None else Board(self.board.size, frozenset(state.mines))
        return board if state.first is None else board.cleared(state.first)

    def play(self, state: State, action: str) -> tuple[State, str]:
        """Reveal or flag a cell."""
        match = ACTION.fullmatch(action)
        if match is None:
            return state, UNKNOWN
        row, column, size = int(match[2]), int(match[3]), self.board.size
        if not (1 <= row <= size and 1 <= column <= size):
            return state, f"There is no cell {row} {column}; rows and columns go from 1 to {size}."
        cell = (row - 1) * size + column - 1
        if cell in state.revealed:
            return state, f"Cell {row} {column} is revealed already."
        if match[1] == "flag":
            flagged = tuple(sorted({cell}.symmetric_difference(state.flagged)))
            after = msgspec.structs.replace(state, flagged=flagged)
            return after, self.look(after)
        if cell in state.flagged:
            return state, f"Cell {row} {column} is flagged; flag it again to take the flag off."
        after = self._revealed(state, cell)
        return after, ("You hit a mine.\n" if self.lost(after) else "") + self.look(after)

    def _revealed(self, state: State, cell: int) -> State:
        if state.first is None:
            state = msgspec.structs.replace(state, first=cell)
        board = self._laid(state)
        if cell in board.mines:
            return msgspec.structs.replace(state, hit=cell)
        revealed = board.opened(cell, frozenset(state.flagged)).union(state.revealed)
        return msgspec.structs.replace(state, revealed=tuple(sorted(revealed)))

    def score(self, state: State) -> float:
        """The share of safe cells that are revealed."""
        return len(state.revealed) / self.board.safe

    def won(self, state: State) -> bool:
        """Whether every safe cell is revealed."""
        return len(state.revealed) == self.board.safe

    def lost(self, state: State) -> bool:
        """Whether a mine was hit."""
        return state.hit is not None

    def admissible(self, state: State) -> list[str]:
        """A reveal for each hidden cell, and a flag for each that is not revealed."""
        hidden = [cell for cell in range(self.board.size**2) if cell not in state.revealed]
        reveals = [self._command("reveal", cell) for cell in hidden if cell not in state.flagged]
        return [*reveals, *(self._command("flag", cell) for cell in hidden)]

    def _command(self, verb: str, cell: int) -> str:
        return f"{verb} {cell // self.board.size + 1} {cell % self.board.size + 1}"

    def plan(self, state: State) -> list[str]:
        """Reveals of safe cells, those that open most first, since it knows the mines. Flags on them are taken off."""
        actions = []
        while not self.won(state):
            board = self._laid(state)
            hidden = [cell for cell in range(board.size**2) if cell not in board.mines and cell not in state.revealed]
            cell = max(hidden, key=lambda c: (c not in state.flagged, len(board.opened(c, frozenset(state.flagged)))))
            if cell in state.flagged:
                actions.append(self._command("flag", cell))
                state = msgspec.structs.replace(state, flagged=tuple(c for c in state.flagged if c != cell))
            actions.append(self._command("reveal", cell))
            state = self._revealed(state, cell)
        return actions

    def consistent(self, state: State, number: int, chance: random.Random) -> list[State]:
        """Every layout of the mines that gives the counts shown, all equally likely."""
        board = self._laid(state)
        counts = {cell: board.count(cell) for cell in state.revealed}
        found = layouts(Seen(board.size, len(board.mines), counts), number, chance)
        return [msgspec.structs.replace(state, mines=tuple(sorted(mines))) for mines in found]

    def hidden(self, state: State) -> dict[str, Any]:
        """Cells, numbered row by row from 0; the mines as they lie now."""
        return {
            "size": self.board.size,
            "mines": sorted(self._laid(state).mines),
            "revealed": list(state.revealed),
            "flagged": list(state.flagged),
        }
