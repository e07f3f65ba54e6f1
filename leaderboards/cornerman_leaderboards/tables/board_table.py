"""The table of a board: the rows of all its runs, ranked within each actor."""

from __future__ import annotations

from dataclasses import replace

from cornerman_leaderboards.rows.boards import Board, by_actor
from cornerman_leaderboards.tables.cells import clean, counted
from cornerman_leaderboards.tables.cost import cost_grid, cost_notes
from cornerman_leaderboards.tables.elsewhere import elsewhere_grid
from cornerman_leaderboards.tables.notes import MEANINGS, notes, size
from cornerman_leaderboards.tables.outcome import MARKS, outcome_grid
from cornerman_leaderboards.tables.page import Note, Page
from cornerman_leaderboards.tables.table import identity, table


def board_table(board: Board) -> Page:
    """The page of a board. Every difference is that of the row's own run, to that run's baseline."""
    if len(board.runs) == 1:
        return beside(table(board.runs[0]), board)
    rows = [row for run in board.runs for row in run.methods]
    parts = by_actor(rows)
    ranked = [row for part in parts for row in part.rows]
    families = {run.family for run in board.runs}
    cost = cost_grid(ranked, runs=True)
    versions = ", ".join(sorted({run.cornerman for run in board.runs}))
    page = Page(
        title=board.suite,
        facts=[counted(len(board.runs), "run"), size(rows), *identity(board.runs[0]), f"cornerman {versions}"],
        grids=[outcome_grid(parts, families.pop() if len(families) == 1 else "", runs=True), *([cost] if cost else [])],
        notes=[
            *notes(ranked, "", None),
            *(cost_notes(ranked) if cost else []),
        ],
    )
    return beside(page, board)


def beside(page: Page, board: Board) -> Page:
    """The page with what others published of the suite, in a grid of its own, and the board's remarks."""
    grids = [elsewhere_grid(board.imported)] if board.imported else []
    mark = [Note(f"{MARKS['imported']} {MEANINGS['imported']}.")] if board.imported else []
    remarks = [Note(clean(remark)) for remark in board.remarks]
    return replace(page, grids=[*page.grids, *grids], notes=[*page.notes, *mark, *remarks])
