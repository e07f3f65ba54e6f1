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
    model: list[str] = typer.Option([], "--model", metavar="ROLE=URI", help="The model of the rules' user: user=URI."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Prove that gold actions win every task of a suite; needs no model. Exit status 1 when one is lost.

    Where the environment talks to a user, the user of the suite's rules answers; one that is a model proves little.
    """
    from cornerman.cli.run import pairs
    from cornerman.engine.context import Bench
    from cornerman.engine.method import build_user
    from cornerman.engine.user import accompanied
    from cornerman.experiment import load_suite
    from cornerman.models import Models
    from cornerman.validate import Mark, Validation, check_user, validate, winnable
    from cornerman.workers.pool import Pool

    loaded = plugins(ctx)
    whole = load_suite(loaded.registry, suite)
    chosen = winnable(loaded.registry, whole.head(limit))
    if not chosen.tasks:
        raise UsageError(f"suite '{suite}' cannot be validated: its environments know no gold actions")

    check_user(loaded.registry, chosen)
    user = build_user(loaded.registry, chosen.rules, pairs(model, "--model", "ROLE=URI"))

    async def play() -> list[Validation]:
        pool, models = Pool(loaded, workers), Models(loaded.registry)
        accompany = accompanied(Bench(sessions=pool, model=models), chosen.rules, user)
        try:
            with ProgressLine(f"gold on {chosen.name}", len(chosen.tasks)) as bar:
                return await validate(pool, chosen, max(1, workers), lambda result: bar.step(), accompany)
        finally:
            await pool.close()
            await models.aclose()

    results = asyncio.run(play())
    lost = [r for r in results if r.problem]
    if not lost and (user is None or user.model is None):
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
