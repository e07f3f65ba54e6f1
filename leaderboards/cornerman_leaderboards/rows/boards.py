"""The boards of a suite: its recorded runs, those on one ground (panel, rules, environments, data) together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from cornerman.declaration import read_declaration, sentence
from cornerman.errors import UsageError
from cornerman.recorded import Manifest, read_manifest
from cornerman.store import MANIFEST
from cornerman.summary import Row, Summary, summarise
from cornerman_leaderboards.elsewhere.figures import Figure, read_figure
from cornerman_leaderboards.rows.join import apart, ground
from cornerman_leaderboards.tables.outcome import Rows, is_baseline

PUBLISHED = Path(__file__).parents[1] / "published"
"""The recorded boards that are shipped: a folder for every suite, with a run folder for every submission."""


@dataclass(frozen=True)
class Entry:
    """A run folder with its manifest. published: it is part of the shipped boards."""

    folder: Path
    manifest: Manifest
    published: bool = False

    @property
    def suite(self) -> str:
        """The suite's name; runs of its first tasks alone belong to it too."""
        return self.manifest.suite.name.partition("[:")[0]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """All runs of one panel by one set of rules. remarks: what a reader must know of them, in sentences.

    imported: what others published of the suite, which no test takes part in.
    """

    suite: str
    panel: str
    rules: str
    tasks: int
    runs: list[Summary]
    remarks: list[str] = []
    imported: list[Figure] = []


def find(runs: Path) -> tuple[list[Entry], list[str]]:
    """The run folders in a folder and those published, and a sentence for each that cannot be read."""
    candidates = [(folder, False) for folder in children(runs)]
    candidates += [(folder, True) for suite in children(PUBLISHED) for folder in children(suite)]
    entries, problems = [], []
    for folder, published in candidates:
        if (folder / MANIFEST).exists():
            try:
                entries.append(Entry(folder, read_manifest(folder), published))
            except UsageError as error:
                problems.append(str(error))
    return entries, problems


def imports(runs: Path) -> tuple[list[Figure], list[str]]:
    """The figures in the folders of a folder and those published, and a sentence for each that cannot be read."""
    figures, problems = [], []
    for folder in [*children(runs), *(folder for suite in children(PUBLISHED) for folder in children(suite))]:
        try:
            found = read_figure(folder)
        except UsageError as error:
            problems.append(str(error))
        else:
            figures += [found] if found is not None else []
    return figures, problems


def children(folder: Path) -> list[Path]:
    """The folders in a folder, by name; none where it does not exist."""
    return sorted(p for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []


def boards(entries: Iterable[Entry], imported: Sequence[Figure] = ()) -> list[Board]:
    """The boards of some runs, each computed from its episodes; the largest panel first.

    Figures that were imported stand on the boards of the whole suite that they are of.
    """
    entries = list(entries)
    every = [entry.manifest for entry in entries]
    grouped: dict[tuple[str, str, bytes, bytes], list[Entry]] = {}
    for entry in entries:
        grouped.setdefault(ground(entry.manifest), []).append(entry)
    found = [
        board_of(group[0].manifest, [summary(e) for e in group], every, declarations(group), imported)
        for group in grouped.values()
    ]
    return sorted(found, key=lambda b: (-b.tasks, b.suite, b.rules))


def board_of(
    manifest: Manifest,
    runs: list[Summary],
    every: Sequence[Manifest],
    declared: Sequence[str],
    imported: Sequence[Figure],
) -> Board:
    """The board of some runs on one ground, that of `manifest`.

    every: the manifests of all runs at hand, some of which may stand apart. declared: sentences on these runs.
    """
    suite = manifest.suite
    return Board(
        suite=suite.name,
        panel=suite.panel,
        rules=suite.rules,
        tasks=len(suite.tasks),
        runs=runs,
        remarks=[*apart(manifest, every), *declared],
        imported=[f for f in imported if f.suite == suite.name],
    )


def declarations(entries: Iterable[Entry]) -> list[str]:
    """What the makers of published rows declare, in sentences."""
    found = [(e.folder.name, read_declaration(e.folder)) for e in entries if e.published]
    return [sentence(name, declared) for name, declared in found if declared is not None]


def summary(entry: Entry) -> Summary:
    """A run's summary; rows of a published one say so."""
    found = summarise(entry.folder)
    if not entry.published:
        return found
    rows = [msgspec.structs.replace(row, run=f"published/{row.run}") for row in found.methods]
    return msgspec.structs.replace(found, methods=rows)


def by_actor(rows: Sequence[Row]) -> list[Rows]:
    """Rows of one actor together, best first; below them those of actors that no run compares anything with."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.actor_digest, []).append(row)

    def best_first(group: list[Row]) -> list[Row]:
        return sorted(group, key=lambda r: (-r.success_rate, r.method, r.run))

    compared = [best_first(g) for g in groups.values() if any(map(is_baseline, g))]
    compared.sort(key=lambda g: -g[0].success_rate)
    others = best_first([r for g in groups.values() if not any(map(is_baseline, g)) for r in g])
    titled = len(compared) > 1
    parts = [Rows(group, f"actor {actor(group[0])}" if titled else "") for group in compared]
    return [*parts, *([Rows(others, "references: other actors")] if others else [])]


def actor(row: Row) -> str:
    """An actor's label, with its model where it has one."""
    model = row.models.get(row.actor)
    return f"{row.actor} ({model})" if model else row.actor
