"""`cornerman worth RUN`."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cornerman.cli.output import ProgressLine, emit, warn
from cornerman.cli.state import plugins
from cornerman.errors import RunInterrupted, UsageError, did_you_mean

if TYPE_CHECKING:
    from cornerman.worth.measure import Study
    from cornerman.worth.report import Report


def command(
    ctx: typer.Context,
    run: Path = typer.Argument(..., help="A run's folder."),
    critic: str = typer.Option(None, "--critic", metavar="LABEL", help="Which critic, where there are several."),
    method: str = typer.Option(None, "--method", metavar="NAME", help="Of which method, where several have one."),
    moment: str = typer.Option(None, "--moment", metavar="HOOK", help="Only this kind of moment, as review_turn."),
    moments: int = typer.Option(50, "--moments", min=1, help="Moments of each kind to fork where the critic spoke."),
    silent: int = typer.Option(25, "--silent", min=0, help="And where it stayed silent."),
    k: int = typer.Option(2, "-k", "--samples", min=1, help="Forks an arm of each moment, unless nothing is random."),
    budget: int = typer.Option(
        None, "--budget", min=1, metavar="FORKS", help="At most so many forks, in the place of --moments and --silent."
    ),
    seed: int = typer.Option(0, "--seed", help="Seed of the draw of moments."),
    judge: str = typer.Option(
        None, "--judge", metavar="URI", help="A model that is asked of each intervention whether it hit its target."
    ),
    workers: int = typer.Option(
        None, "--workers", min=0, help="Environment processes, by default one a core; 0 runs environments in this one."
    ),
    json: bool = typer.Option(False, "--json", help="The report, one JSON object, alone on stdout."),
) -> None:
    """Say what a critic's words were worth: fork the run's episodes where it spoke and play on without them."""
    from cornerman.worth.measure import Study, Wanted
    from cornerman.worth.places import FORKED

    kinds = {m: m for m in FORKED}
    if moment is not None and moment not in kinds:
        raise UsageError(f"--moment {moment}: {SORRY.get(moment, '') or did_you_mean(moment, kinds)}")
    wanted = Wanted(
        method=method,
        critic=critic,
        moment=None if moment is None else kinds[moment],
        moments=moments,
        silent=silent,
        k=k,
        budget=budget,
        seed=seed,
        judge=judge,
    )
    report = asyncio.run(play(Study(plugins(ctx), run, wanted, workers, warn)))
    if json:
        emit(report)
    else:
        from cornerman.cli.worth_table import show

        show(report)
    if report.cost.errors:
        raise typer.Exit(1)


SORRY = {
    "on_task_start": (
        "what a critic says before a task holds in whole attempts; compare its method with one without it"
    ),
    "transform_observation": (
        "a changed observation has no words that a fork could leave out; compare its method with one without it"
    ),
}


async def play(study: Study) -> Report:
    """The report, with progress on stderr; an interrupt keeps what has been played."""
    with ProgressLine("forks", study.open) as bar:
        task = asyncio.create_task(study.report(bar.step))
        loop = asyncio.get_running_loop()
        caught = (signal.SIGINT, signal.SIGTERM)
        for number in caught:
            loop.add_signal_handler(number, task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            raise RunInterrupted("interrupted; forks that were played are kept, and the same command goes on") from None
        finally:
            for number in caught:
                with contextlib.suppress(ValueError):
                    loop.remove_signal_handler(number)
