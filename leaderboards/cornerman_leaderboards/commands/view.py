"""`cornerman view [RUN]`."""

from __future__ import annotations

from pathlib import Path

import typer

RUNS = Path("runs")
"""Where `cornerman run` puts its folders."""


def command(
    ctx: typer.Context,
    run: Path | None = typer.Argument(
        None, help="A run's folder, or that of a published row; all runs below --runs without."
    ),
    runs: Path = typer.Option(RUNS, "--runs", metavar="DIR", help="Folder of run folders, where no RUN is named."),
    port: int = typer.Option(8420, "--port", min=0, max=65535, help="Port on loopback; 0 takes a free one."),
    allow_forks: bool = typer.Option(
        False, "--allow-forks", help="Let pages play episodes on with other words; the run's models have to be at hand."
    ),
) -> None:
    """Read the episodes of a run in a browser: conversations, critiques, verdicts, forks, two methods side by side.

    Answers on this machine only and writes nothing into a run's folder. Ends with Ctrl-C.
    """
    from cornerman.cli.state import plugins
    from cornerman.errors import UsageError
    from cornerman_leaderboards.tables.cells import clean
    from cornerman_leaderboards.viewer.forking import Forking
    from cornerman_leaderboards.viewer.routes import Routes
    from cornerman_leaderboards.viewer.runs import Runs
    from cornerman_leaderboards.viewer.server import Server
    from cornerman_leaderboards.viewer.source import episodes_file

    if run is not None:
        episodes_file(run)
        found = Runs({run.resolve().name: run})
    elif runs.is_dir():
        found = Runs(below=runs)
    else:
        raise UsageError(clean(f"there is no folder {runs}; name a run's folder, or the folder of runs with --runs"))
    forking = Forking(plugins(ctx)) if allow_forks else None
    with Server(Routes(found, forking), port) as server:
        typer.echo(f"reading {clean(str(run or runs))} at {server.address}; Ctrl-C ends it")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo()
