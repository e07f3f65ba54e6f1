"""`cornerman validate SUITE`."""

from __future__ import annotations

import asyncio

import typer

from cornerman.cli.output import ProgressLine, emit, table
from cornerman.cli.state import plugins
from cornerman.errors import UsageError


def command(
    ctx: typer.Context,
    suite: str = typer.Argument(..., help="A suite's name; see `cornerman list suites`."),
    limit: int = typer.Option(None, "--limit", min=1, help="Only the first N tasks."),
    workers: int = typer.Option(2, "--workers", min=0, help="Environment processes; 0 runs them in this one."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Prove that gold actions win every task of a suite; needs no model. Exit status 1 when one is lost."""
    from cornerman.experiment import load_suite
    from cornerman.validate import Mark, Validation, validate, winnable
    from cornerman.workers.pool import Pool

    loaded = plugins(ctx)
    whole = load_suite(loaded.registry, suite)
    chosen = winnable(loaded.registry, whole.head(limit))
    if not chosen.tasks:
        raise UsageError(f"suite '{suite}' cannot be validated: its environments know no gold actions")

    async def play() -> list[Validation]:
        pool = Pool(loaded, workers)
        try:
            with ProgressLine(f"gold on {chosen.name}", len(chosen.tasks)) as bar:
                return await validate(pool, chosen, max(1, workers), lambda result: bar.step())
        finally:
            await pool.close()

    results = asyncio.run(play())
    lost = [r for r in results if r.problem]
    if not lost:
        Mark(loaded, whole.head(limit)).set()
    report = {
        "suite": chosen.name,
        "panel": chosen.panel,
        "tasks": len(results),
        "won": len(results) - len(lost),
        "lost": lost,
        "longest": max((r.turns for r in results), default=0),
        "max_turns": chosen.rules.max_turns,
    }
    if json:
        emit(report)
    else:
        typer.echo(
            f"{chosen.name}: gold won {report['won']} of {report['tasks']} tasks "
            f"(longest {report['longest']} turns, {chosen.rules.max_turns} allowed)"
        )
        if lost:
            table(["task", "turns", "problem"], [[r.task, str(r.turns), r.problem or ""] for r in lost])
    if lost:
        raise typer.Exit(1)
