"""`cornerman train RECIPE`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cornerman.cli.output import emit, warn
from cornerman.cli.state import plugins

if TYPE_CHECKING:
    from cornerman_plugins.trainers.recipe.settings import Recipe


def command(
    ctx: typer.Context,
    recipe: str = typer.Argument(..., metavar="RECIPE", help="A shipped recipe's name or a TOML file."),
    out: Path = typer.Option(Path("trainings"), "--out", metavar="DIR", help="Where the run's folder goes."),
    seed: int = typer.Option(None, "--seed", min=0, help="In the place of the recipe's seed."),
    ablation: list[str] = typer.Option(
        [], "--ablation", metavar="NAME", help="Apply an ablation of the recipe; repeatable."
    ),
    start: Path = typer.Option(None, "--start", metavar="RUN", help="Begin with the last weights of another run."),
    threads: int = typer.Option(1, "--threads", min=1, help="Threads of one operation; busy cores gain nothing."),
    workers: int = typer.Option(1, "--workers", min=0, help="Environment processes, for environments that need them."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Say what it would take, and run nothing."),
    json: bool = typer.Option(False, "--json", help="The result, one JSON object, alone on stdout."),
) -> None:
    """Train roles by a recipe, or go on with a run that was stopped."""
    from cornerman_plugins.trainers.recipe.reading import load

    loaded = plugins(ctx)
    resolved = load(loaded.registry, recipe, tuple(ablation), seed=seed, start=None if start is None else str(start))
    if dry_run:
        from cornerman_plugins.trainers.recipe.forecast import forecast, show

        report = forecast(loaded.registry, resolved)
        emit(report) if json else show(report)
        return
    summary = asyncio.run(_train(ctx, resolved, out / f"{resolved.name}-s{resolved.seed}", threads, workers))
    if json:
        emit(summary)
    else:
        print(f"{summary['updates']} updates, {summary['environment_steps']:,} environment steps: {summary['folder']}")
    if summary["stopped"]:
        warn(f"stopped early: {summary['stopped']}")
        raise typer.Exit(1)


async def _train(ctx: typer.Context, recipe: Recipe, folder: Path, threads: int, workers: int) -> dict[str, object]:
    """Run to the end; progress goes to stderr."""
    import torch

    from cornerman_plugins.trainers.running.run import Training
    from cornerman_plugins.trainers.watching.screen import Screen

    torch.set_num_threads(threads)
    training = Training(plugins(ctx), recipe, folder, lambda state, figures: None, workers)
    with Screen(sum(phase.updates for phase in training.phases)) as screen:
        training.told = screen.show
        state = await training.run()
    return {
        "folder": str(folder),
        "arm": recipe.name,
        "seed": recipe.seed,
        "updates": state.update,
        "environment_steps": state.steps,
        "tokens": state.tokens,
        "stopped": state.stopped,
    }
