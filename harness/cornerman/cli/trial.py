"""`cornerman trial EXPERIMENT`: a pilot, what the full run can show and costs, and that run registered."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cornerman.cli.output import emit, table, warn
from cornerman.cli.progress import Progress
from cornerman.cli.run import make_observer, pairs, play, resolve_experiment
from cornerman.cli.state import plugins
from cornerman.errors import UsageError

if TYPE_CHECKING:
    from cornerman.experiment import Experiment
    from cornerman.runner import Options, Outcome, Run
    from cornerman.trial.pilot import Goal, Report


def command(
    ctx: typer.Context,
    experiment: str = typer.Argument(..., help="A shipped experiment's name or a TOML file."),
    pilot: int = typer.Option(12, "--pilot", min=1, help="Tasks of the pilot, the suite's first ones."),
    detect: float = typer.Option(5.0, "--detect", help="The difference to show, in percentage points."),
    model: list[str] = typer.Option([], "--model", metavar="ROLE=URI", help="A model by role or label; repeatable."),
    workers: int = typer.Option(
        None, "--workers", min=0, help="Environment processes, by default one a core; 0 runs environments in this one."
    ),
    episodes: int = typer.Option(None, "--episodes", min=1, help="Episodes under way at once, by default up to 8."),
    validate: bool = typer.Option(True, "--validate/--no-validate", help="Gold must win a suite before its first use."),
    out: Path = typer.Option(Path("runs"), "--out", help="Folder for run folders."),
    register: Path = typer.Option(None, "--register", metavar="FILE", help="The file of the registered experiment."),
    go: bool = typer.Option(False, "--go", help="Play the registered experiment at once."),
    json: bool = typer.Option(False, "--json", help="The report, one JSON object, alone on stdout."),
) -> None:
    """Play a pilot, say what the full run can show and what it costs, and register the full run in a file.

    Exit status 1 when episodes of the pilot or of the full run are missing.
    """
    from msgspec.structs import replace

    from cornerman.runner import Options, Run

    if not 0 < detect <= 100:
        raise UsageError(f"--detect {detect}: a difference is above 0 and at most 100 percentage points")
    loaded = plugins(ctx)
    wanted = resolve_experiment(loaded.registry, experiment, {}, {}, pairs(model, "--model", "ROLE=URI"))
    if len(wanted.method) < 2:
        raise UsageError(f"{experiment} has one method, and a trial compares; add a [[method]] with a critic")
    chosen = Options(out=out, workers=workers, episodes=episodes, validate=validate)
    tasks = len(wanted.tasks(loaded.registry).tasks)
    small = replace(wanted, name=f"{wanted.name}-pilot", limit=min(pilot, tasks))
    progress = Progress(bars=sys.stderr.isatty())
    first = Run(loaded, small, chosen, [progress], warn)
    if not played(first, progress).complete:
        warn("the pilot was stopped; the same command goes on")
        raise typer.Exit(1)
    path = register or out / f"{wanted.name}-registered.toml"
    files = [word for file in ctx.find_root().obj["files"] for word in ("-p", file)]
    report, full = study(first, wanted, detect / 100, path, next_command(files, path, chosen))
    if json:
        emit(report)
    else:
        show(report)
    if go:
        progress = Progress(bars=sys.stderr.isatty())
        watchers = [progress, *([] if json else [make_observer(loaded.registry, "table")])]
        if not played(Run(loaded, full, chosen, watchers, warn), progress, quiet=json).complete:
            warn(f"stopped; it goes on with: {report.command}")
            raise typer.Exit(1)


def played(run: Run, progress: Progress, quiet: bool = True) -> Outcome:
    """Play a run; quietly, what a plug-in or an inline environment prints goes to stderr."""
    progress.bars &= not run.interactive
    with contextlib.redirect_stdout(sys.stderr) if quiet else contextlib.nullcontext():
        try:
            return asyncio.run(play(run))
        finally:
            progress.close()


def next_command(files: list[str], path: Path, chosen: Options) -> str:
    """The command that plays the registered file as the pilot was played."""
    how = [] if chosen.workers is None else ["--workers", str(chosen.workers)]
    how += [] if chosen.episodes is None else ["--episodes", str(chosen.episodes)]
    how += [] if chosen.validate else ["--no-validate"]
    return shlex.join(["cornerman", *files, "run", str(path), "--out", str(chosen.out), *how])


def study(first: Run, wanted: Experiment, difference: float, path: Path, line: str) -> tuple[Report, Experiment]:
    """The report of a pilot that was played, and the experiment that was registered."""
    from cornerman.recorded import read_run
    from cornerman.summary import summary_of_run
    from cornerman.trial import pilot, registering

    tasks = len(wanted.tasks(first.plugins.registry).tasks)
    recorded = read_run(first.folder)
    summary = summary_of_run(recorded)
    arms = registering.placebos(first.methods)
    compared = {r.method for r in summary.methods if not r.reference and r.method != summary.baseline}
    goal = pilot.Goal(difference, tasks, wanted.trials, len(compared) + len(compared & arms.keys()))
    found = pilot.prospects(recorded, summary, goal)
    full = registering.registered(wanted, arms, pilot.choose_trials(found, wanted.trials))
    registering.write(path, full, statement(first, full, goal))
    report = pilot.Report(
        pilot=str(first.folder),
        pilot_tasks=[t.id for t in first.suite.tasks],
        tasks=tasks,
        detect=difference,
        power=pilot.POWER,
        alpha=goal.alpha,
        comparisons=goal.comparisons,
        methods=found,
        trials=full.trials,
        placebos=[a.name for a in arms.values()],
        cost=pilot.full_cost(recorded, summary, full, arms, tasks, first.concurrency()),
        registered=str(path),
        command=line,
    )
    return report, full


def statement(first: Run, full: Experiment, goal: Goal) -> list[str]:
    """What was fixed before the full run, in lines of a comment."""
    from cornerman.declaration import task_digest
    from cornerman.trial.pilot import ALPHA, POWER, times

    return [
        f"Registered {datetime.now(UTC):%Y-%m-%d %H:%M} UTC from {first.folder.name}, before the first episode.",
        f"Size: {goal.tasks} tasks, {times(full.trials)} of each, {len(full.method)} methods, seed {full.seed}.",
        f"Test: each method against {full.baseline}, two-sided, alpha {ALPHA} over {goal.comparisons} comparisons, "
        f"corrected by {full.family}.",
        f"Goal: {100 * goal.difference:g} points with power {POWER}.",
        "Stopping: fixed. All episodes are played before any result is looked at; none is added after.",
        "Looked at before, as the pilot's tasks (in a submission's declaration: tuned_on, with these digests):",
        *(f"  {task_digest(t)}  {t.id}" for t in first.suite.tasks),
    ]


def show(report: Report) -> None:
    """The report for people."""
    from cornerman.trial.pilot import points, times

    rows = []
    for p in report.methods:
        low, high = map(points, p.ci)
        reach = "unknown"
        if p.detectable is not None:
            reach = f"{'at most ' * p.bound}{points(p.detectable)}" if p.detectable <= 1 else "none"
        rows.append([p.method, f"{points(p.difference)} [{low}, {high}]", reach, p.said])
    table(["method", "Δ in the pilot", "detectable Δ", f"to show {100 * report.detect:g} points"], rows)
    cost = report.cost
    print(
        f"detectable: with {report.power:.0%} power on all {report.tasks} tasks at the experiment's trials, two-sided, "
        f"0.05 over {report.comparisons} comparisons"
    )
    tokens = ", ".join(f"{role} {count:,}" for role, count in cost.tokens.items()) or "none"
    paid = f"; {sum(cost.dollars.values()):.2f} dollars" if cost.dollars else ""
    print(
        f"full run: {cost.episodes:,} episodes, {times(report.trials)} of each task and method; tokens: {tokens}{paid}"
    )
    print(f"hours: {cost.hours:.2g}, with {cost.at_once} episodes at once as in the pilot")
    if report.placebos:
        print(f"added as controls: {', '.join(report.placebos)}")
    print(f"registered in {report.registered}; next:\n{report.command}")
