"""Cross-play: every checkpoint of an actor with every checkpoint of a critic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cornerman_leaderboards.site.lines import Line
from cornerman_leaderboards.web.plots.heat import step

SHOWN = 12
"""Characters of a checkpoint's name that tell it from others of the same model."""
ALONE = "no critic"


@dataclass(frozen=True)
class Match:
    """A cell: the method that played it, or None."""

    line: Line | None

    @property
    def step(self) -> str:
        """Its colour."""
        return step(None if self.line is None else self.line.row.success_rate)


@dataclass(frozen=True)
class CrossPlay:
    """A matrix: a row an actor's checkpoint, a column a critic's."""

    actor: str
    critic: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[Match]]


def cross_plays(found: Sequence[Line]) -> list[CrossPlay]:
    """The matrices of a board: methods that differ in their models alone, at least two of either role."""
    grouped: dict[tuple[object, ...], list[Line]] = {}
    for line in found:
        row = line.row
        if row.critics and any(c in row.models for c in row.critics):
            plays = (line.run.folder, row.actor, tuple(row.critics), row.memory, row.protocol)
            grouped.setdefault(plays, []).append(line)
    return [made for own in grouped.values() if (made := _matrix(own, found)) is not None]


def _matrix(own: Sequence[Line], found: Sequence[Line]) -> CrossPlay | None:
    first = own[0].row
    cells = {(actor_model(line), critic_model(line)): line for line in own}
    rows = sorted({actor for actor, _ in cells})
    columns = sorted({critic for _, critic in cells})
    if len(rows) < 2 or len(columns) < 2 or len(cells) < 3:
        return None
    for line in found:
        row = line.row
        same = (row.actor, row.memory, row.protocol) == (first.actor, first.memory, first.protocol)
        if line.run is own[0].run and same and not row.critics and actor_model(line) in rows:
            cells[actor_model(line), ALONE] = line
    if any(critic == ALONE for _, critic in cells):
        columns = [ALONE, *columns]
    matrix = [[Match(cells.get((actor, critic))) for critic in columns] for actor in rows]
    return CrossPlay(first.actor, ", ".join(first.critics), rows, columns, matrix)


def actor_model(line: Line) -> str:
    """The actor's model, with the checkpoint that answered where its record names one."""
    return _named(line.row.models.get(line.row.actor, line.row.actor), line, "actor")


def critic_model(line: Line) -> str:
    """The critics' models, with the checkpoints that answered."""
    models = [line.row.models[c] for c in line.row.critics if c in line.row.models]
    return _named(", ".join(models), line, "critic")


def _named(model: str, line: Line, role: str) -> str:
    answered = sorted(line.run.seen[line.row.method].checkpoints.get(role, ()))
    return " · ".join([model, *(c[:SHOWN] for c in answered)])
