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
    from cornerman_leaderboards.rows.boards import boards, find, imports
    from cornerman_leaderboards.tables.board_table import board_table
    from cornerman_leaderboards.tables.cells import clean
    from cornerman_leaderboards.tables.page import show

    if not runs.is_dir() and runs != RUNS:
        raise UsageError(clean(f"there is no folder {runs}"))
    entries, problems = find(runs)
    imported, others = imports(runs)
    for problem in (*problems, *others):
        warn(clean(problem))
    chosen = [e for e in entries if suite in (e.suite, e.manifest.suite.name)]
    known = {e.name for e in plugins(ctx).registry.entries("suite")} | {e.suite for e in entries}
    if not chosen and suite not in known:
        raise UsageError(clean(f"unknown suite '{suite}'; {did_you_mean(suite, known)}"))
    found = boards(chosen, imported)
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


@app.command("import")
def import_command(
    form: str = typer.Argument(..., metavar="FORMAT", help="tau2, balrog, lm-eval or inspect."),
    file: Path = typer.Argument(..., help="A file of published results in that format."),
    suite: str = typer.Option(..., "--suite", help="The suite on whose boards it is shown."),
    part: str = typer.Option(None, "--part", help="The domain, environment or task, where the file has several."),
    metric: str = typer.Option(None, "--metric", help="The metric, where the file has several."),
    label: str = typer.Option(None, "--label", help="Who played, in the place of the file's own name for it."),
    runs: Path = typer.Option(RUNS, "--runs", metavar="DIR", help="Folder of run folders, into which it is written."),
) -> None:
    """Show a published figure beside the boards of a suite, marked as imported and kept out of every test."""
    from cornerman.errors import UsageError
    from cornerman.experiment import folder_name
    from cornerman.store import write_whole
    from cornerman_leaderboards.elsewhere.figures import FILE
    from cornerman_leaderboards.elsewhere.formats import load
    from cornerman_leaderboards.rows.submission import as_json
    from cornerman_leaderboards.tables.cells import clean

    figure = load(form, file, suite, part, metric, label)
    folder = runs / folder_name(f"{suite}-{form}-{figure.label}-{figure.part}-{figure.metric}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / FILE, as_json(figure))
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error
    typer.echo(clean(f"{figure.label}: {figure.metric} {100 * figure.value:.1f} %, in {folder}"))
    typer.echo(f"next: cornerman leaderboard show {clean(suite)}")


@app.command("submit")
def submit_command(
    ctx: typer.Context,
    run: Path = typer.Argument(..., help="A run's folder."),
    to: Path = typer.Option(Path("submissions"), "--to", metavar="DIR", help="Folder below which it is written."),
    trained_on: list[str] = typer.Option(
        [], "--trained-on", metavar="SUITE", help="What it was trained on: a suite, a file of digests, or nothing."
    ),
    tuned_on: list[str] = typer.Option(
        [], "--tuned-on", metavar="SUITE", help="What its prompts and settings were tuned on, in the same way."
    ),
    looks: str = typer.Option(
        None, "--looks", metavar="N", help="Runs on the panel that were looked at, or uncounted."
    ),
    contact: str = typer.Option("", "--contact", help="Whom to ask."),
    paper: str = typer.Option("", "--paper", help="Where the method is described."),
) -> None:
    """Write a finished run as a row for the published boards: summary, configuration and compressed action logs."""
    from cornerman.cli.state import plugins
    from cornerman_leaderboards.rows.declaring import declare
    from cornerman_leaderboards.rows.submission import submit
    from cornerman_leaderboards.tables.cells import clean

    declared = declare(plugins(ctx).registry, trained_on, tuned_on, looks, contact, paper)
    target = submit(run, to, declared)
    size = sum(f.stat().st_size for f in target.iterdir())
    typer.echo(f"{clean(str(target))} holds the row, {size / 1e6:.1f} MB")
    typer.echo(f"next: cornerman leaderboard verify {clean(str(target))}")


@app.command("rebuild")
def rebuild_command(rows: list[Path] = typer.Argument(..., metavar="ROW", help="Folders of rows.")) -> None:
    """Compute the summaries and digests of rows anew from their episodes."""
    from cornerman.errors import UsageError
    from cornerman.store import PACKED
    from cornerman_leaderboards.rows.submission import rebuild
    from cornerman_leaderboards.tables.cells import clean

    for row in rows:
        if not (row / PACKED).is_file():
            raise UsageError(clean(f"{row} is no row: it has no {PACKED}"))
        rebuild(row)
        typer.echo(f"{clean(str(row))}: summary and digests computed anew")


@app.command("verify")
def verify_command(
    ctx: typer.Context,
    row: Path = typer.Argument(..., metavar="RUN_OR_ROW", help="A run's folder, or that of a submission."),
    likelihood: str = typer.Option(None, "--likelihood", metavar="MODEL", help="Rescore its token ids on this model."),
    limit: int = typer.Option(None, "--limit", min=1, help="Play only so many episodes again, drawn by chance."),
    workers: int | None = typer.Option(None, "--workers", min=0, help="Environment processes, by default one a core."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Check files and figures, play every action and run every episode again. Exit status 1 when anything differs."""
    import asyncio
    import math
    import os

    import msgspec

    from cornerman.cli.output import ProgressLine
    from cornerman.cli.state import plugins
    from cornerman.store import latest
    from cornerman.workers.pool import Pool
    from cornerman_leaderboards.rows.files import refuse_strange
    from cornerman_leaderboards.rows.verification import Report, verify
    from cornerman_leaderboards.tables.verdict import verdict

    loaded = plugins(ctx)
    refuse_strange(row)

    async def check() -> Report:
        processes = (os.cpu_count() or 1) if workers is None else workers
        pool = Pool(loaded, processes, reset_seconds=math.inf, step_seconds=math.inf)
        total = len(latest(row))
        try:
            with ProgressLine("episodes", total if limit is None else min(limit, total)) as bar:
                return await verify(loaded, row, pool, max(1, processes), limit, likelihood, step=bar.step)
        finally:
            await pool.close()

    report = asyncio.run(check())
    typer.echo(msgspec.json.encode(report).decode() if json else "\n".join(verdict(report)))
    if report.differ:
        raise typer.Exit(1)
