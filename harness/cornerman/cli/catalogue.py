"""`cornerman list KIND`: what can be named, where it comes from, and whether it can be used here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import typer

from cornerman.cli.output import emit, table
from cornerman.cli.runs import list_runs
from cornerman.cli.state import plugins
from cornerman.errors import UsageError, did_you_mean
from cornerman.registry import KINDS, Entry

PLURALS = {
    **{kind: kind + "s" for kind in KINDS},
    "memory": "memories",
    "advantage": "advantages",
    "loss": "losses",
}
NAMES = {plural: kind for kind, plural in PLURALS.items()}


def row(entry: Entry) -> dict[str, Any]:
    """An entry as JSON."""
    return {
        "name": entry.name,
        "doc": entry.doc,
        "origin": entry.origin,
        "available": not (entry.missing or entry.unset or entry.absent),
        "missing": list(entry.missing),
        "unset": list(entry.unset),
        "absent": list(entry.absent),
        "extra": entry.extra,
        "assets": list(entry.assets),
        "paper": entry.paper or None,
        "basis": entry.basis,
        "experiment": entry.experiment or None,
    }


def full_row(entry: Entry) -> dict[str, Any]:
    """An entry as JSON, with what its class declares where it is a plug-in of a method."""
    from cornerman.describe import describe
    from cornerman.engine.instance import ASKED

    return row(entry) | (msgspec.structs.asdict(describe(entry)) if entry.kind in ASKED else {})


def status(entry: Entry) -> str:
    """Whether an entry can be used, or the command that makes it so."""
    if entry.missing:
        return f"pip install 'cornerman[{entry.extra}]'" if entry.extra else f"needs {', '.join(entry.missing)}"
    if entry.unset:
        return f"set {', '.join(entry.unset)} to a folder"
    return f"install {', '.join(entry.absent)}" if entry.absent else "yes"


def command(
    ctx: typer.Context,
    kind: str = typer.Argument(
        ..., help="environments, suites, experiments, actors, critics, memories, …, plugins, or runs."
    ),
    runs: Path = typer.Option(Path("runs"), "--runs", help="Folder of run folders, for `list runs`."),
    json: bool = typer.Option(False, "--json", help="One JSON list, alone on stdout."),
) -> None:
    """List what can be named, by kind. With --json also the options of plug-ins and what their classes declare."""
    if kind in ("runs", "run"):
        list_runs(runs, json)
        return
    loaded = plugins(ctx)
    if kind in ("plugins", "plugin"):
        found = [
            {"name": p.name, "origin": p.origin, "version": p.version, "problem": p.problem} for p in loaded.loaded
        ]
        if json:
            emit(found)
        else:
            table(["plug-in", "origin", "version", "problem"], [[str(v or "") for v in p.values()] for p in found])
        return
    singular = NAMES.get(kind, kind)
    if singular not in KINDS:
        raise UsageError(f"unknown kind '{kind}'; {did_you_mean(kind, [*NAMES, 'plugins', 'runs'])}")
    entries = list(loaded.registry.entries(singular))  # type: ignore[arg-type]
    if json:
        emit([full_row(e) for e in entries])
        return
    table([singular, "what it is", "from", "usable"], [[e.name, e.doc, e.origin, status(e)] for e in entries])
