"""`cornerman run EXPERIMENT`, or `cornerman run --suite S --actor A …` in its place."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from cornerman.cli.output import ProgressLine, emit, warn
from cornerman.cli.progress import Progress
from cornerman.cli.signals import on_signal
from cornerman.cli.state import plugins
from cornerman.errors import UsageError
from cornerman.registry import Registry

if TYPE_CHECKING:
    from cornerman.experiment import Experiment
    from cornerman.runner import Outcome, Run


def command(
    ctx: typer.Context,
    experiment: str = typer.Argument(None, help="A shipped experiment's name or a TOML file."),
    suite: str = typer.Option(None, "--suite", help="Play this suite …"),
    actor: str = typer.Option(None, "--actor", help="… with this actor, as [LABEL=]NAME[:KEY=VALUE,…],"),
    critic: list[str] = typer.Option(
        [], "--critic", help="and with these critics, beside the actor alone; repeatable."
    ),
    memory: str = typer.Option(None, "--memory", help="and with this memory, beside the actor alone."),
    protocol: str = typer.Option(None, "--protocol", help="A protocol, in both arms."),
    model: list[str] = typer.Option([], "--model", metavar="ROLE=URI", help="A model by role or label; repeatable."),
    limit: int = typer.Option(None, "--limit", min=1, help="Only the suite's first N tasks."),
    trials: int = typer.Option(None, "--trials", min=1, help="Trials of each task and method."),
    seed: int = typer.Option(None, "--seed", help="Seed of the run."),
    workers: int = typer.Option(
        None, "--workers", min=0, help="Environment processes, by default one a core; 0 runs environments in this one."
    ),
    episodes: int = typer.Option(None, "--episodes", min=1, help="Episodes under way at once, by default up to 8."),
    calls: list[str] = typer.Option([], "--calls", metavar="ROLE=N", help="Model calls at once by role; repeatable."),
    cache: bool = typer.Option(
        False, "--cache", help="Keep what models answer, and answer the same question of a later run from it."
    ),
    out: Path = typer.Option(Path("runs"), "--out", help="Folder for run folders."),
    name: str = typer.Option(None, "--name", help="The run folder's name; the experiment's by default."),
    observer: list[str] = typer.Option(
        [], "--observer", help="An observer plug-in to tell of every episode; repeatable."
    ),
    validate: bool = typer.Option(True, "--validate/--no-validate", help="Gold must win a suite before its first use."),
    json: bool = typer.Option(False, "--json", help="The summary, one JSON object, alone on stdout."),
) -> None:
    """Play an experiment and print its table. A run that was stopped or killed goes on where it was.

    Exit status 1 when episodes are missing or ended in an error.
    """
    from cornerman.runner import Options, Run

    loaded = plugins(ctx)
    options = {"suite": suite, "actor": actor, "critics": critic, "memory": memory, "protocol": protocol}
    overrides: dict[str, Any] = {"limit": limit, "trials": trials, "seed": seed, "name": name}
    wanted = resolve_experiment(loaded.registry, experiment, options, overrides, pairs(model, "--model", "ROLE=URI"))
    chosen = Options(
        out=out,
        workers=workers,
        episodes=episodes,
        calls=caps(pairs(calls, "--calls", "ROLE=N")),
        cache=cache,
        validate=validate,
    )
    progress = Progress(bars=sys.stderr.isatty())
    watchers = [progress, *(make_observer(loaded.registry, o) for o in (*observer, *([] if json else ["table"])))]
    run = Run(loaded, wanted, chosen, watchers, warn)
    progress.bars &= not run.interactive  # a bar would write over what a person is asked

    # With --json nothing else may reach stdout, whatever a plug-in or an inline environment prints.
    with contextlib.redirect_stdout(sys.stderr) if json else contextlib.nullcontext():
        try:
            outcome = asyncio.run(play(run))
        finally:
            progress.close()
    if json:
        emit(outcome.summary)
    missing = outcome.summary.requested - outcome.summary.recorded
    if not outcome.complete:
        warn(f"stopped with {missing} of {outcome.summary.requested} episodes to play; the same command goes on")
    failed = sum(sum(row.errors.values()) for row in outcome.summary.methods)
    if failed:
        warn(f"{failed} episodes ended in an error and count as failures; the same command plays them again")
        for line in causes(outcome.folder):
            warn(line)
    if missing or failed:
        raise typer.Exit(1)


async def play(run: Run) -> Outcome:
    """Play a run to its end; an interrupt stops it in order."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        warn("stopping; what is being played is dropped (once more to leave at once)")
        run.stop()

    with (
        on_signal(lambda: loop.call_soon_threadsafe(stop)),
        ProgressLine(f"gold on {run.suite.name}", run.winnable) as bar,
    ):
        return await run.play(lambda result: bar.step())


def causes(folder: Path, most: int = 5) -> list[str]:
    """What went wrong in a run, each cause once with how often, the most frequent first."""
    from cornerman.errors import POLICY
    from cornerman.store import latest

    errors = [e for e in latest(folder).values() if POLICY[e.end].error]
    found = Counter((str(e.end), f"{e.error or POLICY[e.end].shown}\n".partition("\n")[0][:300]) for e in errors)
    lines = [f"  {count} × {end}: {text}" for (end, text), count in found.most_common(most)]
    return lines + ([f"  and {len(found) - most} other causes"] if len(found) > most else [])


def pairs(texts: list[str], flag: str, form: str) -> dict[str, str]:
    """`KEY=VALUE` options as a table."""
    out = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise UsageError(f"{flag} {text} is not of the form {form}")
        out[key] = value
    return out


def caps(table: dict[str, str]) -> dict[Any, int]:
    """Call caps by role."""
    import typing

    from cornerman.errors import did_you_mean
    from cornerman.records import Role

    roles = typing.get_args(Role)
    out = {}
    for role, count in table.items():
        if role not in roles:
            raise UsageError(f"--calls {role}={count}: unknown role '{role}'; {did_you_mean(role, roles)}")
        if not count.isdecimal() or len(count) > 6 or int(count) < 1:
            raise UsageError(f"--calls {role}={count}: the cap is a whole number, at least 1 and below a million")
        out[role] = int(count)
    return out


def resolve_experiment(
    registry: Registry,
    source: str | None,
    options: dict[str, Any],
    overrides: dict[str, Any],
    models: dict[str, str],
) -> Experiment:
    """The experiment of a file or name with the command line's changes, or of the command line alone."""
    from cornerman import experiment as experiments

    changes = {k: v for k, v in overrides.items() if v is not None}
    if source is None:
        for flag in ("suite", "actor"):
            if not options[flag]:
                raise UsageError("run takes an experiment's name or TOML file, or --suite and --actor in its place")
        table = experiments.from_options(**options)
        wanted = experiments.resolve(table, "run", "the command line")
    else:
        given = [f"--{k.rstrip('s') if k == 'critics' else k}" for k, v in options.items() if v]
        if given:
            raise UsageError(f"{given[0]} changes what an experiment is; put it into a file, or leave {source} out")
        wanted = experiments.load(registry, source)
    if models:
        changes["models"] = {**wanted.models, **models}
    changed = msgspec.structs.replace(wanted, **changes)
    if "name" not in changes:
        name = options_name(changed) if source is None else variant_name(wanted, changed)
        changed = msgspec.structs.replace(changed, name=name)
    return experiments.checked(changed, "the command line")


def options_name(experiment: Experiment) -> str:
    """A name for a run that was given by options: its parts for people, a digest so that no two share a folder."""
    from cornerman.experiment import folder_name, to_table
    from cornerman.suites import digest_of

    method = experiment.method[-1]
    parts = [experiment.suite, *(p.name for p in (method.actor, *method.critic))]
    digest = digest_of({k: v for k, v in to_table(experiment).items() if k != "name"})
    return f"{folder_name('-'.join(parts))}-{digest[:6]}"


def variant_name(wanted: Experiment, changed: Experiment) -> str:
    """A name for a run of a named experiment of which options change something, so that both can be kept."""
    from cornerman.suites import digest_of

    name = wanted.name
    for key in ("limit", "trials", "seed"):
        if getattr(wanted, key) != getattr(changed, key):
            name += f"-{key}{getattr(changed, key)}"
    return name if wanted.models == changed.models else f"{name}-{digest_of(changed.models)[:6]}"


def make_observer(registry: Registry, text: str) -> object:
    """An observer by its name and options, its hooks checked."""
    from cornerman.engine.instance import check_options
    from cornerman.engine.settings import parse_plugin
    from cornerman.observers import observer_hooks

    settings = parse_plugin(text, "--observer")
    factory = registry.get("observer", settings.use).load()
    try:
        observer: object = factory(**check_options(settings.use, factory, settings.options))
    except (TypeError, ValueError) as error:
        raise UsageError(f"observer '{settings.use}' cannot be made: {error}") from error
    observer_hooks(observer, settings.use)
    return observer
