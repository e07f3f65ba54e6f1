"""`cornerman critics make RUN` and `cornerman critics score SET`: critics on fixed questions, without an actor."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from pathlib import Path

import typer

from cornerman.cli.output import ProgressLine, emit
from cornerman.cli.run import pairs
from cornerman.cli.state import plugins
from cornerman.errors import UsageError

command = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Judge critics on candidates at recorded states, without an actor: make a set, score critics on it.",
)
WORKERS = typer.Option(
    None, "--workers", min=0, help="Environment processes, by default one a core; 0 runs environments in this one."
)


@command.command("make")
def make_set(
    ctx: typer.Context,
    run: Path = typer.Argument(..., help="A run's folder."),
    out: Path = typer.Option(..., "--out", metavar="FILE", help="The set's file, as SET.jsonl."),
    method: str = typer.Option(None, "--method", metavar="NAME", help="Of which method, by default the baseline."),
    items: int = typer.Option(300, "--items", min=1, help="About so many items: three of each state."),
    seed: int = typer.Option(0, "--seed", help="Seed of the draw of states and of the wrong candidates."),
    workers: int = WORKERS,
    json: bool = typer.Option(False, "--json", help="The set's header and digest, one JSON object, alone on stdout."),
) -> None:
    """Make a static set from a run: candidates at its states, with gold's label and suggestion."""
    from cornerman.staticset.making import PER_STATE, Wanted, make

    with (
        contextlib.redirect_stdout(sys.stderr) if json else contextlib.nullcontext(),
        ProgressLine("states", -(-items // PER_STATE)) as bar,
    ):
        made = asyncio.run(make(plugins(ctx), run, out, Wanted(method, items, seed), workers, bar.step))
    header = made.header
    if json:
        emit({"header": header, "items": len(made.items), "digest": made.digest})
        return
    print(
        f"{len(made.items)} items at {header.moments} of {header.states} states of '{header.method}' are in {out}, "
        f"SHA-256 {made.digest[:12]}"
    )
    if header.unlabelled:
        print(f"gold had no answer at {header.unlabelled} more states that were drawn")
    if header.uncorrupted:
        print(f"no wrong candidate was found at {header.uncorrupted} states")


@command.command("score")
def score_set(
    ctx: typer.Context,
    file: Path = typer.Argument(..., metavar="SET", help="A set's file."),
    critic: list[str] = typer.Option([], "--critic", help="A critic, as [LABEL=]NAME[:KEY=VALUE,…]; repeatable."),
    model: list[str] = typer.Option([], "--model", metavar="ROLE=URI", help="A model by role or label; repeatable."),
    at_once: int = typer.Option(
        None, "--at-once", min=1, help="Candidates asked side by side, by default up to 8; 1 gives clean latencies."
    ),
    workers: int = WORKERS,
    json: bool = typer.Option(False, "--json", help="The report, one JSON object, alone on stdout."),
) -> None:
    """Ask critics about every candidate of a set, and say how right they are. Exit status 1 when a critic failed."""
    from cornerman.staticset.asking import ask_all, critics_of
    from cornerman.staticset.items import read_set
    from cornerman.staticset.report import report

    if not critic:
        raise UsageError("critics score takes --critic, once for each critic to ask")
    loaded = plugins(ctx)
    static = read_set(file)
    asked = critics_of(loaded, critic, pairs(model, "--model", "ROLE=URI"))
    processes = (os.cpu_count() or 1) if workers is None else workers
    with (
        contextlib.redirect_stdout(sys.stderr) if json else contextlib.nullcontext(),
        ProgressLine("answers", len(static.items) * len(asked)) as bar,
    ):
        answers = asyncio.run(ask_all(loaded, static, asked, processes, bar.step, at_once))
    found = report(static, asked, answers)
    if json:
        emit(found)
    else:
        from cornerman.cli.critics_table import show

        show(found)
    if any(row.failed for row in found.critics):
        raise typer.Exit(1)
