"""A page: a title, grids and notes; as lines for a terminal, as a plain string, or as Markdown."""

from __future__ import annotations

import io
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

from cornerman_leaderboards.tables.cells import Cell, clean
from cornerman_leaderboards.tables.grid import Grid, Line, escaped, fit, lines, markdown, title

NOTE_WIDTH = 110
"""Sentences are not set wider than this: longer lines are hard to read."""
NO_BREAK = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Note:
    """A sentence below the tables; where it is about columns, by their heads, it stands only where one of them does."""

    text: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """What is shown of a run or a board. The lines of a terminal say which columns they have no room for."""

    title: str
    facts: Sequence[str]
    grids: Sequence[Grid]
    notes: Sequence[Note] = field(default=())

    def lines(self, width: int) -> list[Line]:
        """The page in lines of at most `width` cells, names and numbers that cannot be shortened aside."""
        out: list[Line] = [[Cell(clean(self.title), "bold")]]
        whole = " · ".join(clean(fact).replace(" ", NO_BREAK) for fact in self.facts)
        out += [[Cell(text.replace(NO_BREAK, " "), "dim")] for text in wrapped(whole, width)]
        for grid in self.grids:
            out += [[], *lines(grid, width)]
        out.append([])
        sentences = self._sentences(width)
        out += [[Cell(text, "dim")] for note in sentences for text in wrapped(note, min(width, NOTE_WIDTH))]
        return out

    def _sentences(self, width: int) -> list[str]:
        """The notes on what is shown in so many cells, and what is not."""
        every = [column for grid in self.grids for column in grid.columns]
        shown = {column.head for grid in self.grids for column in fit(grid, width).columns}
        left = dict.fromkeys(title(c) for c in every if c.head not in shown and not c.drawn)
        found = [n.text for n in self.notes if not n.about or shown & set(n.about)]
        if left:
            found.append(f"No room for {', '.join(left)}: they stand in a wider terminal, and with --markdown.")
        return found

    def text(self, width: int = 100) -> str:
        """The page as a plain string."""
        return "\n".join("".join(cell.text for cell in line).rstrip() for line in self.lines(width)) + "\n"

    def markdown(self) -> str:
        """The page as Markdown, with every column."""
        out = [f"**{escaped(clean(self.title))}** · " + " · ".join(escaped(clean(f)) for f in self.facts), ""]
        for grid in self.grids:
            out += [*markdown(grid), ""]
        out += [f"- {escaped(note.text)}" for note in self.notes]
        return "\n".join(out) + "\n"


def wrapped(text: str, width: int) -> list[str]:
    """A sentence on lines of at most `width` characters, all but the first indented."""
    return textwrap.wrap(text, max(20, width), subsequent_indent="  ", break_on_hyphens=False)


def show(page: Page, *, as_markdown: bool = False) -> None:
    """Print a page: laid out and coloured on a terminal, as Markdown elsewhere or when asked to."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that lacks a character is no reason to lose the table
    if as_markdown or not sys.stdout.isatty():
        print(page.markdown(), end="")
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    for line in page.lines(console.width):
        console.print(Text.assemble(*((cell.text, cell.style) for cell in line)), soft_wrap=True)
