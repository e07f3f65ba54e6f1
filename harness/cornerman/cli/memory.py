"""`cornerman memory RUN`: what a method's memory learned, to look at or to ship."""

from __future__ import annotations

from pathlib import Path

import typer

from cornerman.cli.output import emit, table
from cornerman.errors import UsageError, did_you_mean


def command(
    run: Path = typer.Argument(..., help="A run's folder."),
    method: str | None = typer.Option(None, "--method", help="The method, where several have a memory."),
    trial: int = typer.Option(0, "--trial", min=0, help="The trial; each has a memory of its own."),
    out: Path | None = typer.Option(None, "--out", metavar="FILE", help="Write a file for a memory's `source`."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Show what a method's memory held at the end of a run: entries, uses and what they are credited with."""
    from cornerman.memory import memory_of, tasks_of
    from cornerman.shipped_memory import ShippedMemory, write_memory
    from cornerman.store import read_experiment

    experiment = read_experiment(run)
    able = {m.name: m.memory for m in experiment.method if m.memory is not None}
    if not able:
        raise UsageError(f"no method of {run} has a memory")
    if method is not None and method not in able:
        raise UsageError(f"method '{method}' of {run} has no memory; {did_you_mean(method, able)}")
    if method is None and len(able) > 1:
        raise UsageError(f"{len(able)} methods of {run} have a memory: choose --method {' or '.join(able)}")
    if trial >= experiment.trials:
        raise UsageError(f"{run} has {experiment.trials} trials, counted from 0; there is no trial {trial}")
    name = method or next(iter(able))
    items = memory_of(run, able[name].name, name, trial)
    shipped = ShippedMemory(memory=able[name].use, run=experiment.name, tasks=tuple(tasks_of(run)), items=items)
    if out is not None:
        write_memory(out, shipped)
    if json:
        emit(shipped)
    elif out is not None:
        print(f"{len(items)} entries of the memory of '{name}' are in {out}; start from it with source={out}")
    else:
        rows = [[i.id[:8], i.family, str(i.uses), str(i.data.get("wins", "")), i.text] for i in items]
        table(["entry", "family", "uses", "wins", "words"], rows)
