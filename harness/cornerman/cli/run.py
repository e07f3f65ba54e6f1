"""`cornerman run EXPERIMENT`, or `cornerman run --suite S --actor A …` in its place."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import typer

from cornerman.cli.output import ProgressLine, warn
from cornerman.cli.state import plugins
from cornerman.errors import UsageError
from cornerman.registry import Registry


def command(
    ctx: typer.Context,
    experiment: str = typer.Argument(None, help="A shipped experiment's name or a TOML file."),
    suite: str = typer.Option(None, "--suite", help="Play this suite …"),
    actor: str = typer.Option(None, "--actor", help="… with this actor, as [LABEL=]NAME[:KEY=VALUE,…],"),
    critic: list[str] = typer.Option([], "--critic", help="and with these critics beside it alone; repeatable."),
    memory: str = typer.Option(None, "--memory", help="A memory for the method with critics."),
    protocol: str = typer.Option(None, "--protocol", help="A protocol for the method with critics."),
    model: list[str] = typer.Option([], "--model", metavar="ROLE=URI", help="A model by role or label; repeatable."),
    limit: int = typer.Option(None, "--limit", min=1, help="Only the suite's first N tasks."),
    trials: int = typer.Option(None, "--trials", min=1, help="Trials of each task and method."),
    seed: int = typer.Option(None, "--seed", help="Seed of the run."),
    workers: int = typer.Option(1, "--workers", min=0, help="Environment processes; 0 runs environments in this one."),
    episodes: int = typer.Option(None, "--episodes", min=1, help="Episodes under way at once."),
    calls: list[str] = typer.Option([], "--calls", metavar="ROLE=N", help="Model calls at once by role; repeatable."),
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
        validate=validate,
    )
    watchers = [make_observer(loaded.registry, o) for o in ("progress", *observer, *([] if json else ["table"]))]
    run = Run(loaded, wanted, chosen, watchers, warn)

    async def play() -> Any:
        with ProgressLine(f"gold on {run.suite.name}", len(run.suite.tasks)) as bar:
            return await run.play(lambda result: bar.step())

    outcome = asyncio.run(play())
    if json:
        typer.echo(msgspec.json.encode(outcome.summary).decode())
    missing = outcome.summary.requested - outcome.summary.recorded
    if not outcome.complete:
        warn(f"stopped with {missing} of {outcome.summary.requested} episodes to play; the same command goes on")
    if missing or any(row.errors for row in outcome.summary.methods):
        raise typer.Exit(1)


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
        if not count.isdecimal() or int(count) < 1:
            raise UsageError(f"--calls {role}={count}: the cap is a whole number, at least 1")
        out[role] = int(count)
    return out


def resolve_experiment(
    registry: Registry,
    source: str | None,
    options: dict[str, Any],
    overrides: dict[str, Any],
    models: dict[str, str],
) -> Any:
    """The experiment of a file or name with the command line's changes, or of the command line alone."""
    from cornerman import experiment as experiments

    if source is None:
        for flag in ("suite", "actor"):
            if not options[flag]:
                raise UsageError("run takes an experiment's name or TOML file, or --suite and --actor in its place")
        table = experiments.from_options(**options)
        wanted = experiments.resolve(table, default_name(options), "the command line")
    else:
        given = [f"--{k.rstrip('s') if k == 'critics' else k}" for k, v in options.items() if v]
        if given:
            raise UsageError(f"{given[0]} changes what an experiment is; put it into a file, or leave {source} out")
        wanted = experiments.load(registry, source)
    changes = {k: v for k, v in overrides.items() if v is not None}
    if models:
        changes["models"] = {**wanted.models, **models}
    return msgspec.structs.replace(wanted, **changes)


def default_name(options: dict[str, Any]) -> str:
    """A run's name from its parts, safe as a folder's name."""
    parts = [options["suite"], options["actor"], *options["critics"]]
    text = "-".join(str(p) for p in parts)
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in text)[:100]


def make_observer(registry: Registry, text: str) -> object:
    """An observer by its name and options, its hooks checked."""
    from cornerman.engine.instance import check_options
    from cornerman.engine.settings import parse_plugin
    from cornerman.hookspecs import Observation
    from cornerman.plugins import check_hooks

    settings = parse_plugin(text, "--observer")
    factory = registry.get("observer", settings.use).load()
    observer: object = factory(**check_options(settings.use, factory, settings.options))
    check_hooks(observer, Observation, settings.use)
    return observer
