"""`cornerman leaderboard show SUITE`."""

from __future__ import annotations

from pathlib import Path

import typer

RUNS = Path("runs")
"""Where `cornerman run` puts its folders."""

app = typer.Typer(add_completion=False)


@app.callback()
def leaderboard() -> None:
    """The boards of recorded runs."""


@app.command("show")
def show_command(
    ctx: typer.Context,
    suite: str = typer.Argument(..., help="A suite's name; see `cornerman list suites`."),
    runs: Path = typer.Option(RUNS, "--runs", metavar="DIR", help="Folder of run folders."),
    markdown: bool = typer.Option(False, "--markdown", help="Markdown tables, with every column."),
    json: bool = typer.Option(False, "--json", help="One JSON list of boards, alone on stdout."),
) -> None:
    """Show all recorded runs of a suite, one table for each panel and set of rules, computed from their episodes."""
    import msgspec

    from cornerman.cli.output import warn
    from cornerman.cli.state import plugins
    from cornerman.errors import UsageError, did_you_mean
    from cornerman_leaderboards.board_table import board_table
    from cornerman_leaderboards.boards import boards, find
    from cornerman_leaderboards.cells import clean
    from cornerman_leaderboards.page import show

    if not runs.is_dir() and runs != RUNS:
        raise UsageError(clean(f"there is no folder {runs}"))
    entries, problems = find(runs)
    for problem in problems:
        warn(clean(problem))
    chosen = [e for e in entries if suite in (e.suite, e.manifest.suite.name)]
    known = {e.name for e in plugins(ctx).registry.entries("suite")} | {e.suite for e in entries}
    if not chosen and suite not in known:
        raise UsageError(clean(f"unknown suite '{suite}'; {did_you_mean(suite, known)}"))
    found = boards(chosen)
    if json:
        typer.echo(msgspec.json.encode(found).decode())
        return
    if not found:
        typer.echo(
            f"no run of {clean(suite)} in {clean(str(runs))} yet; play one: "
            f"cornerman run --suite {clean(suite)} --actor random"
        )
    for number, board in enumerate(found):
        if number:
            typer.echo()
        show(board_table(board), as_markdown=markdown)
