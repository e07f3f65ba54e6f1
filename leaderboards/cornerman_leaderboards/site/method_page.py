"""The page of a method: what it is, what it came to, and how to play it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jinja2
import msgspec

from cornerman.experiment import to_toml
from cornerman.records import Usage
from cornerman_leaderboards.rows.boards import Board
from cornerman_leaderboards.site.episodes import Reading
from cornerman_leaderboards.site.filters import spoke
from cornerman_leaderboards.site.lines import Line
from cornerman_leaderboards.site.outcomes import Cell, cell
from cornerman_leaderboards.site.writing import Files

TASKS = 500
"""Tasks that a method's page lists at most."""


def write_method(
    templates: jinja2.Environment,
    files: Files,
    folder: str,
    board: Board,
    line: Line,
    baseline: Line | None,
    readings: Sequence[Reading],
) -> None:
    """Write a method's page and its experiment file."""
    config = configuration(line, baseline)
    if config is not None:
        files.add(f"{folder}/methods/{line.slug}.toml", config)
    tasks = outcomes(line, baseline)
    values = {
        "root": "../../../",
        "board": board,
        "line": line,
        "row": line.row,
        "baseline": baseline,
        "moments": [spoke(m) for m in line.moments],
        "config": config,
        "tasks": tasks[:TASKS],
        "left_out": max(0, len(tasks) - TASKS),
        "costs": costs(line),
        "yields": yields(line),
        "readings": readings,
        "made_with": made_with(line.run.about),
    }
    files.add(f"{folder}/methods/{line.slug}.html", templates.get_template("method.html").render(values))


def configuration(line: Line, baseline: Line | None) -> str | None:
    """The experiment of this method alone, beside its baseline where it has one; None where the run left none.

    Seeds know no method's name, so that it plays the same episodes as the whole run did.
    """
    whole = line.run.experiment
    if whole is None:
        return None
    names = [line.row.method, *([baseline.row.method] if baseline else [])]
    methods = tuple(m for m in whole.method if m.name in names)
    if not methods:
        return None
    base = baseline.row.method if baseline else line.row.method
    return to_toml(msgspec.structs.replace(whole, method=methods, baseline=base))


def outcomes(line: Line, baseline: Line | None) -> list[tuple[str, Cell, Cell | None]]:
    """What it made of every task, and what its baseline did: the largest differences first."""
    rows = [(t, cell(line, at), cell(baseline, at) if baseline else None) for at, t in enumerate(line.arm.tasks)]

    def order(row: tuple[str, Cell, Cell | None]) -> tuple[float, float, str]:
        task, own, base = row
        difference = own.solved - base.solved if base else 0
        return (-abs(difference), -difference, task)

    return sorted(rows, key=order)


def costs(line: Line) -> Sequence[tuple[str, Usage, Mapping[str, float], float | None]]:
    """Its cost by role: usage, latency, dollars."""
    row = line.row
    return [(role, row.tokens[role], row.latency[role], row.dollars.get(role)) for role in row.tokens]


UNITS = {"million_tokens": "per million tokens", "dollar": "per dollar", "hour": "per hour"}


def yields(line: Line) -> list[tuple[str, str, str, str]]:
    """What a unit of each cost buys: unit, successes and their 95 % interval."""
    found = [(UNITS[unit], y.value, *y.ci) for unit, y in line.row.successes_per.items()]
    return [(unit, f"{value:,.3g}", f"{low:,.3g}", f"{high:,.3g}") for unit, value, low, high in found]


def made_with(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a manifest says of versions, digests and the machine, as lines."""
    out = [("Cornerman", str(about.get("cornerman", ""))), ("Python", str(about.get("python", "")))]
    for key in ("packages", "assets", "hardware"):
        for name, value in _items(about.get(key)):
            out.append((f"{key}: {name}", _short(value)))
    for env, versions in _items(about.get("environments")):
        out.append((f"environment: {env}", ", ".join(f"{k} {_short(v)}" for k, v in _items(versions)) or "no versions"))
    for model, described in _items(about.get("models")):
        out.append((f"model: {model}", ", ".join(f"{k} {_short(v)}" for k, v in _items(described))))
    return [(name, value) for name, value in out if value]


def _items(value: object) -> list[tuple[str, object]]:
    return [(str(k), v) for k, v in value.items()] if isinstance(value, dict) else []


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
