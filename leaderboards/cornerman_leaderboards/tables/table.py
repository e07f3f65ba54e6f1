"""The table of a run, or of several joined: its page, and the observer that prints it when a run is over."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec

from cornerman import hookimpl
from cornerman.store import SUMMARY
from cornerman.summary import Summary
from cornerman_leaderboards.tables.cells import clean
from cornerman_leaderboards.tables.cost import cost_grid, cost_notes
from cornerman_leaderboards.tables.notes import notes, size
from cornerman_leaderboards.tables.outcome import Rows, outcome_grid
from cornerman_leaderboards.tables.page import Note, Page, show

if TYPE_CHECKING:
    from cornerman.rollout import Plan

DIGITS = 8
"""Of a digest that is shown to tell boards apart."""


def identity(summary: Summary) -> list[str]:
    """What makes a board: the digests of its panel and rules."""
    return [f"panel {summary.panel[:DIGITS]}", f"rules {summary.rules[:DIGITS]}"]


def table(summary: Summary) -> Page:
    """The page of a summary: the baseline's actor first, references below."""
    own = [r for r in summary.methods if not r.reference]
    others = [r for r in summary.methods if r.reference]
    parts = [Rows(own), *([Rows(others, "references: other actors")] if others else [])]
    cost = cost_grid(summary.methods)
    return Page(
        title=summary.suite,
        facts=[summary.experiment, size(summary.methods), *identity(summary), f"cornerman {summary.cornerman}"],
        grids=[outcome_grid(parts, summary.family), *([cost] if cost else [])],
        notes=[
            *notes(summary.methods, summary.family, summary.baseline),
            *(cost_notes(summary.methods) if cost else []),
            *(Note(clean(remark)) for remark in summary.remarks),
        ],
    )


class Table:
    """Prints the table when a run is over, where the run lies, and what to type next."""

    @hookimpl
    def run_finished(self, run: Plan, complete: bool) -> None:
        """Print it."""
        summary = msgspec.json.decode((run.folder / SUMMARY).read_bytes(), type=Summary)
        show(table(summary))
        folder = clean(shlex.quote(str(run.folder)))
        print(f"\nThe run lies in {clean(str(run.folder))}\nnext: cornerman compare {folder}")
        print(f"      cornerman replay {folder}")
