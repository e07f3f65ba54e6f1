"""`cornerman leaderboard show SUITE`, `build RUN…`, `submit RUN` and `verify RUN_OR_ROW`."""

from __future__ import annotations

from pathlib import Path

import typer

from cornerman_leaderboards.commands.build import build_command

RUNS = Path("runs")
"""Where `cornerman run` puts its folders."""

app = typer.Typer(add_completion=False)
app.command("build")(build_command)


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
    from cornerman_leaderboards.rows.boards import boards, find
    from cornerman_leaderboards.tables.board_table import board_table
    from cornerman_leaderboards.tables.cells import clean
    from cornerman_leaderboards.tables.page import show

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


@app.command("submit")
def submit_command(
    run: Path = typer.Argument(..., help="A run's folder."),
    to: Path = typer.Option(Path("submissions"), "--to", metavar="DIR", help="Folder below which it is written."),
) -> None:
    """Write a finished run as a row for the published boards: summary, configuration and compressed action logs."""
    from cornerman_leaderboards.rows.submission import submit
    from cornerman_leaderboards.tables.cells import clean

    target = submit(run, to)
    size = sum(f.stat().st_size for f in target.iterdir())
    typer.echo(f"{clean(str(target))} holds the row, {size / 1e6:.1f} MB")
    typer.echo(f"next: cornerman leaderboard verify {clean(str(target))}")


@app.command("verify")
def verify_command(
    ctx: typer.Context,
    row: Path = typer.Argument(..., metavar="RUN_OR_ROW", help="A run's folder, or that of a submission."),
    workers: int | None = typer.Option(None, "--workers", min=0, help="Environment processes, by default one a core."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Check digests and figures, and play every action again. Exit status 1 when anything differs."""
    import asyncio
    import os

    import msgspec

    from cornerman.cli.output import ProgressLine
    from cornerman.cli.state import plugins
    from cornerman.store import latest
    from cornerman.workers.pool import Pool
    from cornerman_leaderboards.rows.verification import (
        UNPROVEN,
        Finding,
        actions,
        check_suite,
        configuration,
        figures,
        files,
    )
    from cornerman_leaderboards.tables.cells import clean, counted

    loaded = plugins(ctx)
    check_suite(loaded, row)
    found = [*files(row), *configuration(loaded, row), *figures(row)]

    async def play() -> tuple[int, int]:
        processes = (os.cpu_count() or 1) if workers is None else workers
        pool = Pool(loaded, processes)
        attempts = turns = 0
        try:
            total = sum(bool(a.opening_hash) for e in latest(row).values() for a in e.attempts)
            with ProgressLine("replayed attempts", total) as bar:
                async for result in actions(pool, row, max(1, processes)):
                    attempts, turns = attempts + 1, turns + result.turns
                    bar.step()
                    if result.problem:
                        where = f"{result.task}/{result.method}/{result.trial} attempt {result.attempt}"
                        found.append(Finding(where, f"turn {result.turn}: {result.problem}"))
        finally:
            await pool.close()
        return attempts, turns

    attempts, turns = asyncio.run(play())
    if json:
        report = {"attempts": attempts, "actions": turns, "differ": found, "unproven": UNPROVEN}
        typer.echo(msgspec.json.encode(report).decode())
    else:
        differ = f"{counted(len(found), 'thing')} differ{'s' * (len(found) == 1)}"
        verdict = differ if found else "everything agrees"
        typer.echo(f"{counted(attempts, 'attempt')} and {counted(turns, 'action')} played again: {verdict}")
        for finding in found:
            typer.echo(clean(f"{finding.where}: {finding.problem}"))
        typer.echo(UNPROVEN)
    if found:
        raise typer.Exit(1)
