"""Several runs in one table: methods of the same panel and rules beside each other, anything else refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from cornerman.errors import UsageError, did_you_mean
from cornerman.recorded import Arm, Manifest, Recorded, read_run
from cornerman.summary import Summary, summary_of
from cornerman_leaderboards.tables.cells import clean


def join(folders: Sequence[Path], baseline: str | None = None) -> Summary:
    """The summary of all methods of some run folders, computed from their episodes.

    baseline: the method that the others are compared with; by default that of the first run. Methods of one name are
    told apart by their run: RUN/METHOD. The family of the p-values and the seed are the first run's. Raises
    `UsageError` for runs that were not played on the same panel by the same rules, on the same environments and data.
    """
    given = Counter(folder.resolve() for folder in folders)
    twice = next((f for f in folders if given[f.resolve()] > 1), None)
    if twice is not None:
        raise UsageError(f"{clean(str(twice))} is given twice")
    runs = [read_run(folder) for folder in folders]
    for run in runs[1:]:
        refuse_other_board(runs[0], run)
    arms = distinct(runs)
    first = runs[0].manifest
    names = {a.facts.method for a in arms}
    chosen = (
        arms[[m.method for m in first.methods].index(first.baseline)].facts.method if baseline is None else baseline
    )
    if chosen not in names:
        raise UsageError(clean(f"no method is called '{chosen}'; {did_you_mean(chosen, names)}"))
    return summary_of(
        arms,
        chosen,
        first.suite,
        first.family,
        first.seed,
        " + ".join(dict.fromkeys(r.manifest.experiment for r in runs)),
        " + ".join(dict.fromkeys(r.manifest.cornerman for r in runs)),
        remarks(runs),
    )


def refuse_other_board(one: Recorded, other: Recorded) -> None:
    """Raise `UsageError` when two runs belong to different boards; the sentence says in what they differ."""
    a, b = one.manifest.suite, other.manifest.suite
    if a.panel != b.panel:
        if a.name != b.name:
            what = f"suite '{a.name}' with {len(a.tasks)} tasks, suite '{b.name}' with {len(b.tasks)}"
        elif a.tasks != b.tasks:
            what = f"'{a.name}' with other tasks"
        else:
            what = f"'{a.name}' with the same task names, but other settings, seeds or game files"
        problem = f"were played on different panels of tasks ({what})"
    elif a.rules != b.rules:
        keys = sorted({*a.rules_in_full, *b.rules_in_full})
        values = [(k, a.rules_in_full.get(k, "default"), b.rules_in_full.get(k, "default")) for k in keys]
        what = ", ".join(f"{key}: {x} and {y}" for key, x, y in values if x != y) or "their digests"
        problem = f"were played by different rules ({what})"
    elif ground(one.manifest) != ground(other.manifest):
        problem = f"were played on different ground (the second one's {grounds(one.manifest, other.manifest)})"
    else:
        return
    raise UsageError(clean(f"{one.folder} and {other.folder} {problem}; such rows are never compared"))


def distinct(runs: Sequence[Recorded]) -> list[Arm]:
    """All methods of some runs under names that differ: those that collide are prefixed by their run."""
    names = Counter(arm.facts.method for run in runs for arm in run.arms)
    labels = run_labels(runs)
    out = []
    for run, label in zip(runs, labels, strict=True):
        for arm in run.arms:
            name = arm.facts.method
            facts = msgspec.structs.replace(arm.facts, method=f"{label}/{name}") if names[name] > 1 else arm.facts
            out.append(replace(arm, run=label, facts=facts))
    return out


def run_labels(runs: Sequence[Recorded]) -> list[str]:
    """Every run's name, or its folder where two have the same name."""
    names = Counter(run.manifest.experiment for run in runs)
    return [r.manifest.experiment if names[r.manifest.experiment] == 1 else str(r.folder) for r in runs]


def remarks(runs: Sequence[Recorded]) -> list[str]:
    """In what runs of one board differ that a reader should know, in sentences."""
    first = runs[0].manifest
    out = []
    for run in runs[1:]:
        about = run.manifest
        if about.seed != first.seed:
            out.append(f"The seeds of {about.experiment} and {first.experiment} differ: pairs share tasks, not chance.")
        if about.family != first.family:
            out.append(f"{about.experiment} declares the family {about.family}; the first run's is used for all.")
    return out


def ground(manifest: Manifest) -> tuple[str, str, bytes, bytes]:
    """What two runs must share to be compared: panel and rules, versions of the environments, digests of their data.

    Settings and game files of the tasks are in the panel; the actor is told apart within a board.
    """
    versions, data = (msgspec.json.encode(m, order="deterministic") for m in (manifest.environments, manifest.assets))
    return manifest.suite.panel, manifest.suite.rules, versions, data


def apart(manifest: Manifest, others: Sequence[Manifest]) -> list[str]:
    """Why runs of the same panel and rules stand on another board, in sentences."""
    own = (manifest.suite.panel, manifest.suite.rules)
    return [
        f"{other.experiment} stands on a board of its own: its {grounds(manifest, other)}."
        for other in others
        if (other.suite.panel, other.suite.rules) == own and ground(other) != ground(manifest)
    ]


def grounds(one: Manifest, other: Manifest) -> str:
    """In which versions or data two runs differ, in words."""
    versions, data = differing(one.environments, other.environments), differing(one.assets, other.assets)
    parts = [f"environments are others ({versions})" if versions else "", f"data are others ({data})" if data else ""]
    return " and its ".join(filter(None, parts))


def differing(one: Mapping[str, object], other: Mapping[str, object]) -> str:
    """The names whose entries differ."""
    return ", ".join(sorted(k for k in {*one, *other} if one.get(k) != other.get(k)))
