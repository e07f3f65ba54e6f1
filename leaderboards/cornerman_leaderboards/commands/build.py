"""`cornerman leaderboard build RUN… [--site DIR]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from cornerman_leaderboards.site.gather import Played


def build_command(
    runs: list[Path] | None = typer.Argument(None, metavar="RUN", help="Run folders; without any, the published rows."),
    site: Path | None = typer.Option(None, "--site", metavar="DIR", help="Write static pages there."),
    episodes: list[str] | None = typer.Option(
        None, "--episodes", metavar="RUN:EPISODE", help="In the site, a page to read for each of these; repeatable."
    ),
    png: bool = typer.Option(False, "--png", help="In the site, plots as PNG beside SVG (extra 'site')."),
    json: bool = typer.Option(False, "--json", help="One JSON list of boards, alone on stdout."),
) -> None:
    """Compute boards anew from the episodes of runs: tables, their summary.json, and with --site static pages."""
    import msgspec

    from cornerman.cli.output import warn
    from cornerman.errors import UsageError
    from cornerman_leaderboards.site.build import boards_of, build
    from cornerman_leaderboards.tables.board_table import board_table
    from cornerman_leaderboards.tables.cells import clean, counted
    from cornerman_leaderboards.tables.page import show

    folders = list(runs or [])
    if site is None and (episodes or png):
        raise UsageError("--episodes and --png are about the pages; name their folder with --site")
    if site is not None:
        built = build(folders, site, png, episodes or [])
        gathered = built.gathered
        told = [counted(len(gathered), "board"), counted(built.methods, "method"), f"{built.size / 1e6:.1f} MB"]
        if not json:
            typer.echo(f"{clean(str(site))} holds {', '.join(told)}; open {clean(str(site / 'index.html'))}")
    else:
        gathered = boards_of(folders)
    for run in (run for g in gathered for run in g.runs):
        if rewrite(run):
            warn(clean(f"{run.folder}/summary.json was not what its episodes give; written anew"))
    if json:
        typer.echo(msgspec.json.encode([g.board for g in gathered]).decode())
    elif site is None:
        for number, each in enumerate(gathered):
            if number:
                typer.echo()
            show(board_table(each.board))


def rewrite(run: Played) -> bool:
    """Write a run's summary anew where it is not what its episodes give; a submission's is left as it is."""
    import msgspec

    from cornerman.errors import UsageError
    from cornerman.store import SUMMARY, write_whole
    from cornerman_leaderboards.rows.submission import DIGESTS

    path = run.folder / SUMMARY
    data = msgspec.json.format(msgspec.json.encode(run.summary), indent=2) + b"\n"
    if (run.folder / DIGESTS).exists() or (path.is_file() and path.read_bytes() == data):
        return False
    try:
        write_whole(path, data)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    return True
