"""What came out, a row a method: successes, the paired difference to the baseline, and what was turned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cornerman.declaration import Mark
from cornerman.summary import Delta, Row
from cornerman_leaderboards.tables import forest
from cornerman_leaderboards.tables.cells import (
    NONE,
    Cell,
    clean,
    p_value,
    per_episode,
    percent,
    percent_interval,
    points,
    points_interval,
)
from cornerman_leaderboards.tables.grid import KEPT, Column, Grid, Section

PRIVILEGED, INCOMPLETE = "†", "‡"
MARKS: dict[Mark, str] = {"open": "§", "seen": "¶", "imported": "#"}
ALPHA = 0.05
"""Corrected p-values below this are coloured."""
FAMILIES = {"holm": "Holm", "max-t": "max-T"}
METHOD = Column("method", right=False)
TURNED, FLIPS, CRITIQUES = "helped/\nharmed", "flips\n%", "critiques\n/ep"
"""Heads of columns that a note explains."""
RUN = Column("run", 50, right=False, most=24)

Make = Callable[[Row], Cell]


@dataclass(frozen=True)
class Rows:
    """Rows that belong together, and what they have in common where that must be said."""

    rows: Sequence[Row]
    title: str = ""


def is_baseline(row: Row) -> bool:
    """Whether others are compared with this row."""
    return row.delta is None and not row.reference


def marked(row: Row) -> str:
    """The method's name with its marks."""
    marks = PRIVILEGED * row.privileged + INCOMPLETE * (row.recorded < row.n) + "".join(MARKS[m] for m in row.marks)
    return clean(row.method) + (f" {marks}" if marks else "")


def outcome_grid(parts: Sequence[Rows], family: str, runs: bool = False) -> Grid:
    """The grid of some rows. runs: name each row's run."""
    rows = [row for part in parts for row in part.rows]
    columns = [*solved_columns(runs)]
    if any(r.delta for r in rows):
        columns += difference_columns(rows, family)
    columns += behaviour_columns(rows)
    sections = [Section([[make(row) for _, make in columns] for row in part.rows], clean(part.title)) for part in parts]
    return Grid([column for column, _ in columns], sections)


def solved_columns(runs: bool) -> list[tuple[Column, Make]]:
    """Who, and how much was solved."""
    columns: list[tuple[Column, Make]] = [
        (METHOD, lambda r: Cell(marked(r), "bold" if is_baseline(r) else "")),
    ]
    if runs:
        columns.append((RUN, lambda r: Cell(clean(r.run), "dim")))
    return [
        *columns,
        (Column("solved", KEPT), lambda r: Cell(f"{r.successes}/{r.n}")),
        (Column("%", KEPT), lambda r: Cell(percent(r.success_rate), "bold")),
        (Column("95 % CI", 40), lambda r: Cell(percent_interval(r.ci))),
    ]


def difference_columns(rows: Sequence[Row], family: str) -> list[tuple[Column, Make]]:
    """The paired difference, its bar, its p-value, and what was helped and harmed."""
    limit = forest.limit_of([r.delta.ci for r in rows if r.delta])

    def of(show: Callable[[Delta], Cell], baseline: Make = lambda r: Cell(NONE, "dim")) -> Make:
        def make(row: Row) -> Cell:
            if row.delta is not None:
                return show(row.delta)
            return Cell("") if row.reference else baseline(row)

        return make

    def p(delta: Delta) -> Cell:
        return Cell(p_value(delta.p_holm), direction(delta))

    def flips(delta: Delta) -> Cell:
        return Cell(percent((delta.helped + delta.harmed) / delta.pairs))

    def own_flips(row: Row) -> Cell:
        return Cell(NONE if row.aa_flip_rate is None else f"A/A {percent(row.aa_flip_rate)}", "dim")

    drawn = (
        Column(f"difference, 95 % CI\n{forest.axis(limit)}", 3, right=False, drawn=True),
        of(lambda d: Cell(forest.bar(d.difference, d.ci, limit), direction(d)), lambda r: Cell(forest.zero(), "dim")),
    )
    return [
        (Column("Δ", 70), of(lambda d: Cell(points(d.difference), direction(d)), lambda r: Cell("base", "dim"))),
        (Column("95 % CI", 45), of(lambda d: Cell(points_interval(d.ci)))),
        drawn,
        (Column(f"p\n{FAMILIES[family]}" if family else "p", 60), of(p)),
        (Column(TURNED, 20), of(lambda d: Cell(f"{d.helped}/{d.harmed}"))),
        (Column(FLIPS, 15), of(flips, own_flips)),
    ]


def direction(delta: Delta) -> str:
    """Green for a better method, red for a worse one, where the corrected p-value says so."""
    if delta.p_holm >= ALPHA:
        return ""
    return "green" if delta.difference > 0 else "red"


def behaviour_columns(rows: Sequence[Row]) -> list[tuple[Column, Make]]:
    """How it was played: interventions, turns, score, and what went wrong."""
    failed = any(r.errors for r in rows)

    def errors(row: Row) -> Cell:
        number = sum(row.errors.values())
        return Cell(str(number), "bold red" if number else "dim")

    return [
        (Column(CRITIQUES, 10), lambda r: Cell(per_episode(r.interventions_per_episode))),
        (Column("turns\n/ep", 8), lambda r: Cell(per_episode(r.turns_per_episode))),
        (Column("score", 2), lambda r: Cell(percent(r.score))),
        (Column("errors", 90 if failed else 1), errors),
    ]
