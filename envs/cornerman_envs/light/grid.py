"""Squares in rows and columns: cells are numbered row by row from 0, as `row * size + column`."""

from __future__ import annotations

MOVES: dict[str, tuple[int, int]] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
"""The four moves as changes of (row, column)."""


def neighbour(cell: int, move: str, size: int) -> int | None:
    """The cell that a move leads to, or None off the board."""
    row, column = cell // size + MOVES[move][0], cell % size + MOVES[move][1]
    return row * size + column if 0 <= row < size and 0 <= column < size else None


def around(cell: int, size: int) -> list[int]:
    """The up to eight cells that touch a cell."""
    row, column = divmod(cell, size)
    rows, columns = range(max(0, row - 1), min(size, row + 2)), range(max(0, column - 1), min(size, column + 2))
    return [r * size + c for r in rows for c in columns if (r, c) != (row, column)]


def drawn(symbols: list[str], size: int, gap: str = "") -> str:
    """A board as lines of text."""
    return "\n".join(gap.join(symbols[start : start + size]) for start in range(0, size * size, size))
