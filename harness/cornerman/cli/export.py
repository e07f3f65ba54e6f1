"""`cornerman export RUN`: a run as data for other tools."""

from __future__ import annotations

from pathlib import Path

import typer

from cornerman.cli.output import emit
from cornerman.errors import UsageError, did_you_mean

FORMATS = ("parquet", "sft", "dpo")


def command(
    run: Path = typer.Argument(..., help="A run's folder, or that of a row."),
    form: str = typer.Option("sft", "--format", help="parquet, sft or dpo."),
    out: Path = typer.Option(..., "--out", metavar="FILE", help="The Parquet file; it is replaced."),
    method: list[str] = typer.Option([], "--method", help="Only episodes of this method; repeatable."),
    every: bool = typer.Option(False, "--all", help="With sft: attempts that did not solve their task, too."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Write episodes as Parquet: one row an episode, chats for TRL's SFT trainer, or pairs for its DPO trainer."""
    from cornerman.exporting import export
    from cornerman.store import latest, read_experiment

    if form not in FORMATS:
        raise UsageError(f"unknown format '{form}'; {did_you_mean(form, FORMATS)}")
    names = [m.name for m in read_experiment(run).method]
    unknown = next((m for m in method if m not in names), None)
    if unknown is not None:
        raise UsageError(f"{run} has no method '{unknown}'; {did_you_mean(unknown, names)}")
    episodes = [e for e in latest(run).values() if not method or e.method in method]
    count = export(episodes, form, out, solved_only=not every)  # type: ignore[arg-type]
    if json:
        emit({"file": str(out), "format": form, "rows": count})
    else:
        typer.echo(f"{out} holds {count} rows; read it with datasets.load_dataset('parquet', data_files='{out}')")
