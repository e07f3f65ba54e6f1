"""What every method made of every task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cornerman_leaderboards.site.lines import Line
from cornerman_leaderboards.web.plots.heat import step


@dataclass(frozen=True)
class Cell:
    """One method on one task: trials solved, of those asked for; share is None where none was played."""

    solved: int
    trials: int
    played: int

    @property
    def share(self) -> float | None:
        """The share of the trials that was solved."""
        return self.solved / self.trials if self.played else None

    @property
    def step(self) -> str:
        """Its colour."""
        return step(self.share)


@dataclass(frozen=True)
class TaskLine:
    """A task, and a cell for every method."""

    task: str
    cells: Sequence[Cell]


def cell(line: Line, at: int) -> Cell:
    """One method on the task of this place among the arm's."""
    found = line.arm.figures
    return Cell(int(found.success[at].sum()), line.arm.trials, int(found.recorded[at].sum()))


def by_task(found: Sequence[Line]) -> list[TaskLine]:
    """All tasks of a board, those that most methods solve first."""
    rows = [TaskLine(task, [cell(line, at) for line in found]) for at, task in enumerate(found[0].arm.tasks)]
    return sorted(rows, key=lambda r: (-sum(c.share or 0.0 for c in r.cells), r.task))
