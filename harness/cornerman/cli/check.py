"""`cornerman check NAME`: the conformance kit on an environment or a plug-in."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import TYPE_CHECKING

import msgspec
import typer

from cornerman.cli.output import ProgressLine, table
from cornerman.cli.state import plugins
from cornerman.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from cornerman.engine.settings import PluginSettings
    from cornerman.plugins import Plugins
    from cornerman.registry import Entry, Registry

ROLES = ("actor", "critic", "memory", "protocol", "user")


def command(
    ctx: typer.Context,
    name: str = typer.Argument(
        ..., help="An environment's id or the end of it, or a plug-in as [ROLE:]NAME[:KEY=VALUE,…], as in critic:rules."
    ),
    task: str = typer.Option(None, "--task", help="Check an environment on this task instead of its first."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Check an environment or a plug-in, rule by rule. Exit status 1 when a check failed.

    An environment is tried in this process and in a worker; a plug-in plays in a small corridor, with a model of the
    kit's own where it needs one.
    """
    from cornerman.conformance import environment, plugin

    loaded = plugins(ctx)
    found = target(loaded, name)
    if task and not isinstance(found, str):
        raise UsageError("--task names a task of an environment; plug-ins play in a corridor of the kit's own")
    total = len(environment.CHECKS) + 1 if isinstance(found, str) else len(plugin.CHECKS)
    # What an environment prints in this process must not mix with the report.
    with contextlib.redirect_stdout(sys.stderr), ProgressLine(f"checks of {name}", total) as bar:
        if isinstance(found, str):
            report = asyncio.run(environment.check_environment(loaded, found, task, lambda check: bar.step()))
        else:
            report = asyncio.run(plugin.check_plugin(*found, lambda check: bar.step()))
    if json:
        typer.echo(msgspec.json.encode({**msgspec.to_builtins(report), "passed": not report.failed}).decode())
    else:
        typer.echo(f"{report.kind} {report.name}" + (f", task {report.task}" if report.task else ""))
        table(["check", "result", "what was seen"], [[c.name, c.result, c.text] for c in report.checks])
        kinds = [sum(c.result == result for c in report.checks) for result in ("passed", "failed", "skipped")]
        typer.echo("{} passed, {} failed, {} skipped".format(*kinds))
    if report.failed:
        raise typer.Exit(1)


def target(loaded: Plugins, name: str) -> str | tuple[Entry, PluginSettings]:
    """The environment's id, or the plug-in's entry and settings, that a name stands for."""
    from cornerman.engine.settings import parse_plugin
    from cornerman.lookup import environment_id, short

    registry = loaded.registry
    role, colon, rest = name.partition(":")
    if role == "environment" and colon:
        return environment_id(registry, rest)
    if role in ROLES and colon:
        settings = parse_plugin(rest, "check")
        return registry.get(role, settings.use), settings  # type: ignore[arg-type]
    settings = parse_plugin(name, "check")
    entries = [e for e in plugin_entries(registry) if e.name == settings.use]
    ids = [e.name for e in registry.entries("environment")]
    matching = [i for i in ids if name and i.endswith(name)]
    if len(entries) == 1 and not matching:
        return entries[0], settings
    if len(entries) > 1 or (entries and matching):
        choices = [f"{e.kind}:{e.name}" for e in entries] + [f"environment:{i}" for i in matching]
        raise UsageError(f"'{name}' may be {' or '.join(choices)}; say which")
    if matching:
        return environment_id(registry, name)
    known = [*ids, *short(ids), *(e.name for e in plugin_entries(registry))]
    raise UsageError(f"no environment and no plug-in is named '{name}'; {did_you_mean(name, known)}")


def plugin_entries(registry: Registry) -> list[Entry]:
    """Every plug-in that the kit can check."""
    return [entry for role in ROLES for entry in registry.entries(role)]  # type: ignore[arg-type]
