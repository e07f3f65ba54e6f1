"""`cornerman calibrate RUN`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cornerman.cli.output import emit, table, warn
from cornerman.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from cornerman.calibration import Thresholds


def command(
    run: Path = typer.Argument(..., help="A run's folder."),
    critic: str = typer.Option("expseek", "--critic", metavar="NAME", help="The critic that the settings are for."),
    method: str = typer.Option(None, "--method", metavar="NAME", help="Of which method, else of the run's baseline."),
    answers: str = typer.Option(
        "", "--answers", metavar="NAME|…", help="Actions that give an answer; they get thresholds of their own."
    ),
    bootstraps: int = typer.Option(1000, "--bootstraps", min=100, help="Samples of tasks behind the interval."),
    seed: int = typer.Option(0, "--seed", help="Seed of the samples."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Find the entropies between which a critic begins to speak, by a recorded run of the actor."""
    from cornerman.calibration import settings, steps, thresholds
    from cornerman.recorded import read_manifest
    from cornerman.store import latest

    manifest = read_manifest(run)
    names = [m.method for m in manifest.methods]
    chosen = method or manifest.baseline
    if chosen not in names:
        raise UsageError(f"{run} has no method '{chosen}'; {did_you_mean(chosen, names)}")
    wanted = tuple(filter(None, answers.split("|")))
    found = steps((e for e in latest(run).values() if e.method == chosen), wanted)
    if wanted and not any(s.kind == "answer" for s in found):
        raise UsageError(f"{run}: no action of '{chosen}' is called {' or '.join(wanted)}; --answers names none")
    process = thresholds(found, "process", resamples=bootstraps, seed=seed)
    results = [process, *([thresholds(found, "answer", resamples=bootstraps, seed=seed)] if wanted else [])]
    made = settings(critic, results)
    if json:
        emit({"run": manifest.experiment, "method": chosen, "thresholds": results, "settings": made})
        return
    show(results)
    typer.echo(f"critic = [{inline(made)}]")


def show(results: list[Thresholds]) -> None:
    """The table, and a line where half-certain thresholds were left out."""
    heads = ["steps", "n", "tasks", "solved %", "slope", "threshold", "low", "up", "fires %"]
    rows = [
        [
            t.kind,
            f"{t.steps:,}",
            str(t.tasks),
            f"{100 * t.solved:.1f}",
            f"{t.slope:+.3f}",
            f"{t.threshold:.3f}",
            f"{t.low:.3f}",
            f"{t.up:.3f}",
            f"{100 * t.fires:.1f}",
        ]
        for t in results
    ]
    table(heads, rows)
    for t in results:
        if t.share < 1:
            warn(
                f"{t.kind} steps: in {100 * (1 - t.share):.1f} % of the bootstraps success does not fall with entropy; "
                "they have no threshold and are left out of the interval"
            )


def inline(value: Any) -> str:
    """A value as TOML on one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {inline(item)}" for key, item in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else repr(value)
