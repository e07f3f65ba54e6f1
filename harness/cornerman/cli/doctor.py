"""`cornerman doctor`: what is installed, what is missing, and the command that mends it."""

from __future__ import annotations

import asyncio
import os
import platform
from typing import Any

import typer

from cornerman.cli.output import emit, table
from cornerman.cli.state import plugins
from cornerman.errors import CornermanError
from cornerman.registry import Kind


def command(
    ctx: typer.Context,
    model: str = typer.Option(None, "--model", metavar="URI", help="Also ask this model what it can do."),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Say what is installed, what is missing, and what mends it. Exit status 1 when a model does not answer."""
    from cornerman.manifest import versions
    from cornerman.paths import cache_root

    loaded = plugins(ctx)
    extras: dict[str, dict[str, Any]] = {}
    kinds: tuple[Kind, ...] = ("environment", "model", "actor", "critic")
    for kind in kinds:
        for entry in loaded.registry.entries(kind):
            if entry.extra:
                known = extras.setdefault(entry.extra, {"missing": set(), "for": []})
                known["missing"] |= set(entry.missing)
                known["for"].append(entry.name)
    report: dict[str, Any] = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "cache": str(cache_root()),
        "packages": versions(),
        "extras": {k: {"missing": sorted(v["missing"]), "for": v["for"]} for k, v in sorted(extras.items())},
        "plugins_not_loaded": [{"name": p.name, "origin": p.origin, "problem": p.problem} for p in loaded.problems],
    }
    problem = None
    if model is not None:
        try:
            report["model"] = asyncio.run(ask_model(loaded.registry, model))
        except CornermanError as error:
            problem = report["model"] = {"uri": model, "problem": str(error)}
    if json:
        emit(report)
    else:
        show(report)
    if problem is not None:
        raise typer.Exit(1)


async def ask_model(registry: Any, uri: str) -> dict[str, Any]:
    """What a model says of itself, and what it can do: probed where the backend can probe."""
    from cornerman.engine.instance import split_sampling
    from cornerman.model import Sampling
    from cornerman.models import Models
    from cornerman.records import Message

    models = Models(registry)
    try:
        plain, _ = split_sampling(uri)
        backend = models(plain or uri)
        probe = getattr(backend, "probe", None)
        probed = await probe() if probe is not None else {}
        hello = [Message(role="user", content="Say hello.")]
        answer = await backend.generate(hello, Sampling(max_tokens=8), seeds=[0])
        return {
            "uri": uri,
            "capabilities": sorted(backend.capabilities),
            "answer": answer.completions[0].text,
            **probed,
            **backend.describe(),
        }
    finally:
        await models.aclose()


def show(report: dict[str, Any]) -> None:
    """The report for people."""
    typer.echo(f"Python {report['python']}, {report['cores']} cores, cache in {report['cache']}")
    table(["package", "version"], [[k, v] for k, v in report["packages"].items()])
    rows = []
    for extra, what in report["extras"].items():
        mend = "installed" if not what["missing"] else f"pip install 'cornerman[{extra}]'"
        rows.append([extra, mend, ", ".join(what["for"][:6]) + (", …" if len(what["for"]) > 6 else "")])
    if rows:
        table(["extra", "state", "for"], rows)
    for plugin in report["plugins_not_loaded"]:
        typer.echo(f"not loaded: {plugin['name']} of {plugin['origin']}: {plugin['problem']}")
    if "model" in report:
        table(
            ["model", report["model"].get("uri", "")], [[k, str(v)] for k, v in report["model"].items() if k != "uri"]
        )
