"""A grid of cells: laid out in lines for a terminal of any width, or as a Markdown table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cornerman_leaderboards.tables.cells import Cell, shorten, width_of

KEPT = 100
"""Importance of a column that never leaves."""
GAP = 2
NARROWEST, NAME = 8, 20
"""Widths below which the first column is not shortened: at all, and for the sake of others."""

Line = list[Cell]
"""One line of output: pieces of text with their styles."""


@dataclass(frozen=True)
class Column:
    """A column: its head (of one line or two), and its importance: where space is short, the least important leaves.

    drawn: its cells are drawings in characters, for terminals alone. most: the width of its cells on a
    terminal; longer ones are shortened.
    """

    head: str
    importance: int = KEPT
    right: bool = True
    drawn: bool = False
    most: int | None = None


@dataclass(frozen=True)
class Section:
    """Rows that belong together, below a rule and a title where it has one."""

    rows: list[list[Cell]]
    title: str = ""


@dataclass(frozen=True)
class Grid:
    """Columns and sections; every row has a cell for every column."""

    columns: list[Column]
    sections: list[Section]

    def only(self, indices: Sequence[int]) -> Grid:
        """The grid with these columns alone."""
        sections = [replace(s, rows=[[row[i] for i in indices] for row in s.rows]) for s in self.sections]
        return Grid([self.columns[i] for i in indices], sections)

    def widths(self) -> list[int]:
        """Width of each column in terminal cells."""
        heads = [max(map(width_of, c.head.split("\n"))) for c in self.columns]
        rows = [row for section in self.sections for row in section.rows]
        return [max([head, *(width_of(row[i].text) for row in rows)]) for i, head in enumerate(heads)]


def fit(grid: Grid, width: int) -> Grid:
    """The grid in at most `width` cells: columns by importance as long as they fit.

    The first one, of names, takes a quarter at most where those are long, and less if need be. Those that are kept in
    any case may still be wider.
    """
    for i, column in enumerate(grid.columns):
        most = max(NAME, width // 4) if i == 0 else column.most
        if most is not None:
            grid = shortened(grid, i, most)
    widths = grid.widths()
    chosen: list[int] = []
    for i in sorted(range(len(widths)), key=lambda i: (-grid.columns[i].importance, i)):
        room = width - sum(widths[j] + GAP for j in chosen)
        if grid.columns[i].importance == KEPT or widths[i] <= room:
            chosen.append(i)
    grid = grid.only(sorted(chosen))
    first, *others = grid.widths()
    room = max(NARROWEST, width - sum(others) - GAP * len(others))
    return shortened(grid, 0, room) if first > room else grid


def shortened(grid: Grid, at: int, width: int) -> Grid:
    """The grid with the cells of one column in at most `width` characters."""

    def short(row: list[Cell]) -> list[Cell]:
        return [*row[:at], replace(row[at], text=shorten(row[at].text, width)), *row[at + 1 :]]

    return replace(grid, sections=[replace(s, rows=[short(row) for row in s.rows]) for s in grid.sections])


def lines(grid: Grid, width: int) -> list[Line]:
    """The grid in lines: the head, a rule, the rows; a rule and its title before every further section."""
    grid = fit(grid, width)
    widths = grid.widths()
    total = sum(widths) + GAP * (len(widths) - 1)
    rule = Cell("─" * min(total, width), "dim")
    deepest = max(c.head.count("\n") for c in grid.columns)
    heads = [("\n" * (deepest - c.head.count("\n")) + c.head).split("\n") for c in grid.columns]
    out = [aligned(grid.columns, widths, [Cell(h[i], "dim") for h in heads]) for i in range(deepest + 1)]
    for number, section in enumerate(grid.sections):
        if number == 0 or section.title:
            out.append([rule])
        if section.title:
            out.append([Cell(shorten(section.title, width), "dim italic")])
        out += [aligned(grid.columns, widths, row) for row in section.rows]
    return out


def aligned(columns: Sequence[Column], widths: Sequence[int], row: Sequence[Cell]) -> Line:
    """A row's cells padded to their columns' widths."""
    out = []
    for i, (column, width, cell) in enumerate(zip(columns, widths, row, strict=True)):
        space = " " * (width - width_of(cell.text))
        text = space + cell.text if column.right else cell.text + space
        out.append(replace(cell, text=text + " " * GAP if i < len(columns) - 1 else text))
    return out


SPECIAL = re.compile(r"[\\`*>|&~$]|<(?=[A-Za-z/!?])|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])")
"""What means something in Markdown: an underscore does not between letters, a bracket without a link."""


def title(column: Column) -> str:
    """A column's head on one line."""
    return re.sub(r"(?<=/)\n|\n(?=/)", "", column.head).replace("\n", " ")


def escaped(text: str) -> str:
    """A text that Markdown shows as it is."""
    return SPECIAL.sub(lambda found: "\\" + found.group(), text)


def markdown(grid: Grid) -> list[str]:
    """The grid as the lines of a Markdown table, with all of its columns but the drawn ones."""
    grid = grid.only([i for i, c in enumerate(grid.columns) if not c.drawn])

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    out = [
        line(escaped(title(c)) for c in grid.columns),
        line("---:" if c.right else ":---" for c in grid.columns),
    ]
    for section in grid.sections:
        if section.title:
            out.append(line([f"*{escaped(section.title)}*", *[""] * (len(grid.columns) - 1)]))
        out += [line(escaped(cell.text) for cell in row) for row in section.rows]
    return out
