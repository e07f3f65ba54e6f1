"""What others published of a suite, in a grid of its own: their figures are no part of any comparison."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman_leaderboards.elsewhere.figures import Figure
from cornerman_leaderboards.tables.cells import NONE, Cell, clean, percent, percent_interval
from cornerman_leaderboards.tables.grid import Column, Grid, Section
from cornerman_leaderboards.tables.outcome import MARKS


def elsewhere_grid(figures: Sequence[Figure]) -> Grid:
    """The grid of imported figures, best first."""
    columns = [
        Column("published elsewhere", right=False),
        Column("by", 60, right=False),
        Column("part", 40, right=False),
        Column("metric", 50, right=False),
        Column("%"),
        Column("95 % CI", 45),
        Column("n", 20),
    ]
    rows = [
        [
            Cell(f"{clean(f.label)} {MARKS[f.mark]}"),
            Cell(f.format, "dim"),
            Cell(clean(f.part), "dim"),
            Cell(clean(f.metric), "dim"),
            Cell(percent(f.value), "bold"),
            Cell(NONE if f.ci is None else percent_interval(f.ci)),
            Cell(NONE if f.n is None else str(f.n)),
        ]
        for f in sorted(figures, key=lambda f: (-f.value, f.label))
    ]
    return Grid(columns, [Section(rows)])
