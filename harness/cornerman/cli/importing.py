"""`cornerman import FORMAT FILE --name RUN`."""

from __future__ import annotations

from pathlib import Path

import typer

from cornerman.cli.output import emit
from cornerman.errors import UsageError, did_you_mean


def command(
    kind: str = typer.Argument(..., metavar="FORMAT", help="messages, tau2 or mint."),
    file: Path = typer.Argument(..., help="A file of traces in that format."),
    name: str = typer.Option(..., "--name", help="The run folder's name."),
    out: Path = typer.Option(Path("runs"), "--out", help="Folder for run folders."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Make a run of traces that another harness recorded, so that critics can be asked about them."""
    from cornerman.experiment import is_folder_name
    from cornerman.importing.folder import write
    from cornerman.importing.formats import FORMATS

    if kind not in FORMATS:
        raise UsageError(f"unknown format '{kind}'; {did_you_mean(kind, FORMATS)}")
    if not is_folder_name(name):
        raise UsageError(f"the name {name!r} cannot be a folder's; take letters, digits, '-', '_' and '.'")
    folder = out / name
    episodes = write(FORMATS[kind](file), kind, file, folder)
    turns = sum(len(e.attempts[0].turns) for e in episodes)
    solved = sum(e.success for e in episodes)
    if json:
        emit({"run": str(folder), "episodes": len(episodes), "turns": turns, "solved": solved})
    else:
        typer.echo(f"{len(episodes)} episodes with {turns} turns, {solved} solved, in {folder}")
