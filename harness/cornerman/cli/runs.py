"""`cornerman list runs`: the run folders in a folder, and how far each has come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cornerman.cli.output import emit, table
from cornerman.errors import UsageError


def list_runs(folder: Path, json: bool) -> None:
    """Print every run folder in a folder, the one written to last first."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}; name the folder of your run folders with --runs")
    rows = list(found(folder))
    if json:
        emit(rows)
        return
    heads = ["run", "suite", "methods", "episodes", "problem"]
    shown = [[r["run"], r["suite"] or "", ", ".join(r["methods"]), episodes(r), r["problem"] or ""] for r in rows]
    table(heads, shown)


def episodes(row: dict[str, Any]) -> str:
    """Recorded episodes, of how many."""
    return f"{row['recorded']}/{row['requested']}" if row["requested"] else str(row["recorded"])


def found(folder: Path) -> Iterator[dict[str, Any]]:
    """What is known of every run folder in a folder. One that cannot be read says why."""
    from cornerman.recorded import read_manifest
    from cornerman.store import EPISODES, EXPERIMENT, count_episodes

    def changed(run: Path) -> float:
        path = run / EPISODES
        return (path if path.exists() else run / EXPERIMENT).stat().st_mtime

    runs = [run for run in folder.iterdir() if (run / EXPERIMENT).is_file()]
    for run in sorted(runs, key=lambda r: (-changed(r), r.name)):
        row: dict[str, Any] = {"run": str(run), "suite": None, "methods": [], "requested": None, "recorded": 0}
        row |= {"complete": False, "problem": None}
        try:
            row["recorded"] = count_episodes(run)
            about = read_manifest(run)
            row["suite"], row["methods"] = about.suite.name, [m.method for m in about.methods]
            row["requested"] = len(about.suite.tasks) * about.trials * len(about.methods)
            row["complete"] = row["recorded"] >= row["requested"]
        except UsageError as error:
            row["problem"] = str(error)
        yield row
