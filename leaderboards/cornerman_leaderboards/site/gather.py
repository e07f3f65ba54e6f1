"""Runs as the site needs them: each read from its folder, those of one panel and one set of rules together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from cornerman.declaration import Declaration, read_declaration, sentence
from cornerman.errors import UsageError
from cornerman.experiment import Experiment
from cornerman.recorded import Manifest, Recorded, read_run
from cornerman.records import Moment
from cornerman.store import EXPERIMENT, MANIFEST, iterate, read_experiment
from cornerman.summary import Summary, summary_of_run
from cornerman.tally import critiques
from cornerman_leaderboards.elsewhere.figures import FILE as FIGURE
from cornerman_leaderboards.elsewhere.figures import Figure, read_figure
from cornerman_leaderboards.rows.boards import PUBLISHED, Board, board_of, children
from cornerman_leaderboards.rows.join import ground
from cornerman_leaderboards.tables.cells import clean


@dataclass
class Seen:
    """What the episodes of a method show that its manifest does not say.

    moments: when its critics spoke. checkpoints: what answered each role's calls.
    """

    moments: set[Moment] = field(default_factory=set)
    checkpoints: dict[str, set[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Played:
    """A run. `about` is its manifest in full; `experiment` and `declaration` are None where it left none."""

    folder: Path
    recorded: Recorded
    summary: Summary
    seen: dict[str, Seen]
    about: dict[str, object]
    experiment: Experiment | None
    declaration: Declaration | None

    @property
    def name(self) -> str:
        """The run's name."""
        return self.recorded.manifest.experiment


@dataclass(frozen=True)
class Gathered:
    """A board with its runs in full."""

    board: Board
    runs: Sequence[Played]


def published() -> list[Path]:
    """The folders of the published rows, and of figures from elsewhere beside them."""
    rows = [row for suite in children(PUBLISHED) for row in children(suite)]
    return [row for row in rows if (row / MANIFEST).is_file() or (row / FIGURE).is_file()]


def gather(folders: Sequence[Path]) -> list[Gathered]:
    """The boards of some folders of runs and imported figures, the largest panel first.

    Raises `UsageError` for what is neither, and for figures of a suite of which no run is given.
    """
    grouped: dict[tuple[str, str, bytes, bytes], list[Played]] = {}
    twice = next((f for i, f in enumerate(folders) if f.resolve() in [g.resolve() for g in folders[:i]]), None)
    if twice is not None:
        raise UsageError(clean(f"{twice} is given twice"))
    imported: list[Figure] = []
    for folder in folders:
        if (figure := read_figure(folder)) is not None:
            imported.append(figure)
            continue
        run = play(folder)
        grouped.setdefault(ground(run.recorded.manifest), []).append(run)
    every = [run.recorded.manifest for runs in grouped.values() for run in runs]
    found = [Gathered(_board(runs, every, imported), runs) for runs in grouped.values()]
    named = {g.board.suite for g in found}
    if homeless := next((f for f in imported if f.suite not in named), None):
        raise UsageError(clean(f"{homeless.label} was imported for {homeless.suite}, of which no whole run is given"))
    return sorted(found, key=lambda g: (g.board.suite.partition("[:")[0], -g.board.tasks, g.board.rules))


def _board(runs: Sequence[Played], every: Sequence[Manifest], imported: Sequence[Figure]) -> Board:
    declared = [sentence(r.name, r.declaration) for r in runs if r.declaration is not None]
    return board_of(runs[0].recorded.manifest, [r.summary for r in runs], every, declared, imported)


def play(folder: Path) -> Played:
    """A run read whole."""
    recorded = read_run(folder)
    return Played(
        folder=folder,
        recorded=recorded,
        summary=summary_of_run(recorded),
        seen=seen(folder, [arm.facts.method for arm in recorded.arms]),
        about=msgspec.json.decode((folder / MANIFEST).read_bytes(), type=dict[str, object]),
        experiment=read_experiment(folder) if (folder / EXPERIMENT).is_file() else None,
        declaration=read_declaration(folder),
    )


def seen(folder: Path, methods: Sequence[str]) -> dict[str, Seen]:
    """What the episodes show of each method."""
    found = {method: Seen() for method in methods}
    for episode in iterate(folder):
        if episode.method not in found:
            continue
        here = found[episode.method]
        here.moments |= {c.moment for c in critiques(episode)}
        for call in episode.calls:
            if call.checkpoint is not None:
                here.checkpoints.setdefault(call.role, set()).add(call.checkpoint)
    return found
