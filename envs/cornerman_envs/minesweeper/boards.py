"""Boards: where the mines lie, what a cell counts, and what a reveal opens."""

from __future__ import annotations

import functools

import msgspec

from cornerman.seeds import generator
from cornerman_envs.light.grid import around
from cornerman_envs.light.listing import part_of


class Board(msgspec.Struct, frozen=True):
    """A square board and the cells of its mines."""

    size: int
    mines: frozenset[int]

    @property
    def text(self) -> str:
        """The board in one line; equal for equal boards."""
        return f"minesweeper {self.size} {sorted(self.mines)}"

    @property
    def safe(self) -> int:
        """How many cells have no mine."""
        return self.size**2 - len(self.mines)

    def count(self, cell: int) -> int:
        """How many of the cells around a cell have mines."""
        return sum(near in self.mines for near in around(cell, self.size))

    def cleared(self, cell: int) -> Board:
        """The board on which this cell has no mine: its mine, if any, lies on the first cell without one."""
        if cell not in self.mines:
            return self
        spare = next(other for other in range(self.size**2) if other not in self.mines)
        return Board(self.size, self.mines - {cell} | {spare})

    def opened(self, cell: int, shut: frozenset[int] = frozenset()) -> set[int]:
        """The cells that revealing a safe cell opens: around a count of 0 all, and so on; none of `shut`."""
        found, waiting = {cell}, [cell]
        while waiting:
            here = waiting.pop()
            if self.count(here) == 0:
                new = [near for near in around(here, self.size) if near not in found and near not in shut]
                found.update(new)
                waiting.extend(new)
        return found

    @property
    def clicks(self) -> int:
        """The fewest reveals that open every safe cell (known as 3BV): one for each area of zeros, then the rest."""
        left = set(range(self.size**2)) - self.mines
        number = 0
        for cell in sorted(left, key=lambda cell: (self.count(cell) != 0, cell)):
            if cell in left:
                left -= self.opened(cell)
                number += 1
        return number


@functools.lru_cache(maxsize=256)
def make_board(size: int, mines: int, seed: int, part: str | None = None) -> Board:
    """The board of a seed, of the part that is asked for; it takes more reveals than it has mines."""
    chance = generator("minesweeper", size, mines, seed)
    while True:
        board = Board(size, frozenset(chance.sample(range(size**2), mines)))
        if board.clicks > mines and part in (None, part_of(board.text)):
            return board
