"""The page of a board with its plots and downloads, and those of its methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jinja2
import msgspec

from cornerman_leaderboards.site import exports
from cornerman_leaderboards.site.columns import columns
from cornerman_leaderboards.site.crossplay import cross_plays
from cornerman_leaderboards.site.episodes import Chosen, write_episodes
from cornerman_leaderboards.site.filters import filters
from cornerman_leaderboards.site.gather import Gathered
from cornerman_leaderboards.site.headline import best, headline
from cornerman_leaderboards.site.lines import Line, groups, lines
from cornerman_leaderboards.site.method_page import write_method
from cornerman_leaderboards.site.outcomes import by_task
from cornerman_leaderboards.site.plots import (
    NARROW,
    currencies,
    differences,
    on_front,
    point,
    success_against,
    task_map,
)
from cornerman_leaderboards.site.writing import Files
from cornerman_leaderboards.tables.board_table import board_table
from cornerman_leaderboards.web.plots.strip import strip
from cornerman_leaderboards.web.plots.svg import Element, inline, png, standalone

TASKS = 300
"""Tasks that a page's heat map shows at most; the files hold all."""


@dataclass(frozen=True)
class Figure:
    """A plot for a desk and for a phone, and its files."""

    wide: str
    narrow: str
    files: Sequence[str]


@dataclass(frozen=True)
class Shelf:
    """What the overview shows of a board."""

    gathered: Gathered
    path: str
    headline: str
    strip: str
    best: Line | None


class BoardPage:
    """Writes a board's folder. bitmaps: PNG beside every SVG. chosen: episodes that get pages."""

    def __init__(
        self,
        templates: jinja2.Environment,
        files: Files,
        gathered: Gathered,
        slug: str,
        bitmaps: bool = False,
        chosen: Chosen | None = None,
    ) -> None:
        self._chosen = chosen or {}
        self._templates, self._files, self._bitmaps = templates, files, bitmaps
        self._gathered, self._board = gathered, gathered.board
        self._folder = f"boards/{slug}"
        self._lines = lines(gathered)
        self._tasks = by_task(self._lines)

    def write(self) -> Shelf:
        """Write the board's page, its methods' pages and all downloads; answers what the overview shows."""
        downloads = self._downloads()
        page = board_table(self._board)
        readings = write_episodes(self._templates, self._files, self._folder, self._board, self._lines, self._chosen)
        values = {
            "root": "../../",
            "board": self._board,
            "lines": self._lines,
            "headline": headline(self._lines),
            "facts": page.facts,
            "notes": [note.text for note in page.notes],
            "forest": self._forest(),
            "costs": self._costs(),
            "columns": columns(self._lines),
            "filters": filters(self._lines),
            "tasks": self._tasks[:TASKS],
            "left_out": max(0, len(self._tasks) - TASKS),
            "cross_plays": cross_plays(self._lines),
            "downloads": downloads,
            "readings": readings,
            "several": len(self._gathered.runs) > 1,
        }
        self._files.add(f"{self._folder}/index.html", self._templates.get_template("board.html").render(values))
        for line in self._lines:
            own = [r for r in readings if r.line is line]
            write_method(self._templates, self._files, self._folder, self._board, line, self._baseline_of(line), own)
        return Shelf(
            self._gathered,
            f"{self._folder}/index.html",
            headline(self._lines),
            inline(strip([point(line, currencies(self._lines)[-1]) for line in self._lines])),
            best(self._lines),
        )

    def _baseline_of(self, line: Line) -> Line | None:
        return next((base for base, own in groups(self._lines) if line in own), None)

    def _forest(self) -> Figure | None:
        wide, narrow = differences(self._lines), differences(self._lines, NARROW)
        return None if wide is None or narrow is None else self._figure("differences", wide, narrow)

    def _costs(self) -> list[tuple[str, Figure, list[str]]]:
        """A figure for each currency, and the methods on its front."""
        return [
            (
                c.unit,
                self._figure(
                    f"success-by-{c.key}", success_against(self._lines, c), success_against(self._lines, c, NARROW)
                ),
                on_front(self._lines, c),
            )
            for c in currencies(self._lines)
        ]

    def _figure(self, name: str, wide: Element, narrow: Element) -> Figure:
        return Figure(inline(wide), inline(narrow), self._plot_files(name, wide))

    def _plot_files(self, name: str, plot: Element) -> list[str]:
        svg = standalone(plot)
        paths = [f"plots/{name}.svg"]
        self._files.add(f"{self._folder}/{paths[0]}", svg)
        if self._bitmaps:
            paths.append(f"plots/{name}.png")
            self._files.add(f"{self._folder}/{paths[1]}", png(svg))
        return paths

    def _downloads(self) -> list[tuple[str, str]]:
        """Writes the files of the table and the map; answers (path, what it holds)."""
        page = board_table(self._board)
        shares = [[c.share for c in t.cells] for t in self._tasks]
        plots = self._plot_files("tasks", task_map([t.task for t in self._tasks], self._lines, shares))
        tables: list[tuple[str, str | bytes, str]] = [
            ("table.md", page.markdown(), "the table as Markdown"),
            ("table.tex", exports.latex(page), "the table for LaTeX (booktabs)"),
            ("table.csv", exports.figures(self._lines), "every figure"),
            ("tasks.csv", exports.outcomes(self._lines, self._tasks), "trials solved by task and method"),
            ("board.json", msgspec.json.format(msgspec.json.encode(self._board), indent=1), "the board's summaries"),
        ]
        for path, content, _ in tables:
            self._files.add(f"{self._folder}/{path}", content)
        return [(path, what) for path, _, what in tables] + [(path, "tasks × methods") for path in plots]
