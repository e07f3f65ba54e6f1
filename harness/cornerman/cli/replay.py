"""`cornerman replay RUN [EPISODE]`."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import typer

from cornerman.cli.output import ProgressLine, emit, table
from cornerman.cli.state import plugins
from cornerman.errors import UsageError, did_you_mean


def command(
    ctx: typer.Context,
    run: Path = typer.Argument(..., help="A run's folder."),
    episode: str = typer.Argument(None, help="Only this episode: TASK, TASK/METHOD or TASK/METHOD/TRIAL."),
    workers: int = typer.Option(
        None, "--workers", min=0, help="Environment processes, by default one a core; 0 runs environments in this one."
    ),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Replay a run's action logs and check every observation's hash. Exit status 1 when one differs."""
    from cornerman.records import Episode
    from cornerman.replay import Replayed, replay
    from cornerman.store import latest, read_experiment
    from cornerman.workers.pool import Pool

    loaded = plugins(ctx)
    read_experiment(run)
    episodes = list(latest(run).values())
    if not episodes:
        raise UsageError(f"{run} holds no episode")

    def name(e: Episode) -> str:
        return f"{e.task.id}/{e.method}/{e.trial}"

    if episode is not None:
        chosen = [e for e in episodes if name(e) == episode or name(e).startswith(episode + "/")]
        if not chosen:
            raise UsageError(f"{run} has no episode '{episode}'; {did_you_mean(episode, [name(e) for e in episodes])}")
        episodes = chosen

    async def play() -> list[Replayed]:
        processes = (os.cpu_count() or 1) if workers is None else workers
        pool = Pool(loaded, processes)
        found = []
        try:
            with ProgressLine(
                "replayed attempts", sum(bool(a.opening_hash) for e in episodes for a in e.attempts)
            ) as bar:
                async for result in replay(pool, episodes, max(1, processes)):
                    found.append(result)
                    bar.step()
        finally:
            await pool.close()
        return found

    results = asyncio.run(play())
    bad = [r for r in results if r.problem]
    turns = sum(r.turns for r in results)
    if json:
        emit({"attempts": len(results), "turns": turns, "differ": bad})
    else:
        typer.echo(
            f"{len(results)} attempts, {turns} actions replayed: {len(bad) or 'none'} differ{'s' * (len(bad) == 1)}"
        )
        if bad:
            rows = [[f"{r.task}/{r.method}/{r.trial}", str(r.attempt), str(r.turn), r.problem or ""] for r in bad]
            table(["episode", "attempt", "turn", "what differs"], rows)
    if bad:
        raise typer.Exit(1)
