"""Rooms and moves. Cells are numbered row by row; the outermost ones are walls, so that no move leaves the room."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from cornerman_envs.light.grid import MOVES

WALL, FLOOR, TARGET, BOX, BOX_ON_TARGET, PLAYER, PLAYER_ON_TARGET = "#_.$*@+"
"""The symbols of a drawn room, as in the XSB format, with `_` for floor."""


class Position(NamedTuple):
    """Where the player stands and where the boxes are."""

    player: int
    boxes: frozenset[int]


class Room(msgspec.Struct, frozen=True):
    """A square room: its free cells, those of targets included, and the targets."""

    size: int
    free: frozenset[int]
    targets: frozenset[int]

    def shift(self, move: str) -> int:
        """How a move changes the number of a cell."""
        rows, columns = MOVES[move]
        return rows * self.size + columns

    def moved(self, here: Position, move: str) -> Position | None:
        """The position after a step or a push, or None where neither can be done."""
        shift = self.shift(move)
        ahead, beyond = here.player + shift, here.player + 2 * shift
        if ahead not in self.free:
            return None
        if ahead not in here.boxes:
            return Position(ahead, here.boxes)
        if beyond not in self.free or beyond in here.boxes:
            return None
        return Position(ahead, here.boxes - {ahead} | {beyond})

    def came_from(self, here: Position, move: str) -> list[Position]:
        """The positions from which a move leads here: after a step, and after a push."""
        shift = self.shift(move)
        back, ahead = here.player - shift, here.player + shift
        if back not in self.free or back in here.boxes:
            return []
        step = Position(back, here.boxes)
        if ahead not in here.boxes:
            return [step]
        return [step, Position(back, here.boxes - {ahead} | {here.player})]

    def solved(self, here: Position) -> bool:
        """Whether every box stands on a target."""
        return here.boxes == self.targets

    def draw(self, here: Position) -> str:
        """The room as text."""
        cells = [FLOOR if cell in self.free else WALL for cell in range(self.size**2)]
        for cell in self.targets:
            cells[cell] = TARGET
        for cell in here.boxes:
            cells[cell] = BOX_ON_TARGET if cell in self.targets else BOX
        cells[here.player] = PLAYER_ON_TARGET if here.player in self.targets else PLAYER
        return "\n".join("".join(cells[row : row + self.size]) for row in range(0, self.size**2, self.size))
