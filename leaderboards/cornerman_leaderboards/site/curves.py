"""Learning curves: what a training run measured as it went.

`curves.jsonl` holds one JSON object a line, `curves.csv` the same as columns:

arm                 what is trained in which way, as "both" or "actor alone"; its seeds are averaged
seed                the run's seed
update              optimiser steps so far
environment_steps   actions executed so far to learn from
tokens              tokens of all model calls so far
metric              what was measured, as "eval/grader/first_success"
value               its value
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from cornerman.errors import UsageError
from cornerman_leaderboards.tables.cells import clean
from cornerman_leaderboards.web.plots.lines import Arm

FILES = ("curves.jsonl", "curves.csv")
LONGEST = 2_000_000
"""Points of one file that are read at most."""
DRAWN = 400
"""Points of one line that are drawn at most."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement; None where it came to no number."""

    arm: str
    seed: int
    update: int
    environment_steps: int
    tokens: int
    metric: str
    value: float | None


COUNTS = {"environment_steps": "environment steps", "tokens": "tokens", "update": "updates"}
"""What a curve can run over."""


def curves_file(folder: Path) -> Path | None:
    """The file of a folder's curves, or None."""
    return next((folder / name for name in FILES if (folder / name).is_file()), None)


def read_curves(path: Path) -> list[Point]:
    """All points of a file, those that are no number left out, and a torn last line of JSON too."""
    found: list[Point] = []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in _csv(file, path) if path.suffix == ".csv" else _json(file, path):
                if len(found) >= LONGEST:
                    raise UsageError(clean(f"{path} holds more than {LONGEST:,} points; thin it out first"))
                if row.value is not None and math.isfinite(row.value):
                    found.append(row)
    except OSError as error:
        raise UsageError(clean(f"{path} cannot be read: {error.strerror}")) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageError(clean(f"{path} cannot be read: {error}")) from error
    return found


def _json(file: Iterator[str], path: Path) -> Iterator[Point]:
    decoder = msgspec.json.Decoder(Point)
    for number, line in enumerate(file, 1):
        if not line.endswith("\n"):
            return
        try:
            yield decoder.decode(line)
        except msgspec.DecodeError as error:
            raise UsageError(clean(f"{path} line {number} is no point of a curve: {error}")) from error


def _csv(file: Iterator[str], path: Path) -> Iterator[Point]:
    for number, row in enumerate(csv.DictReader(file), 2):
        try:
            yield msgspec.convert(row, Point, strict=False)
        except msgspec.ValidationError as error:
            raise UsageError(clean(f"{path} line {number} is no point of a curve: {error}")) from error


def metrics(points: Sequence[Point]) -> list[str]:
    """What was measured: evaluations first."""
    return sorted({p.metric for p in points}, key=lambda m: (not m.startswith("eval/"), m))


def arms(points: Sequence[Point], metric: str, over: str) -> list[Arm]:
    """The curves of one metric over one count, thinned to what can be seen."""
    grouped: dict[str, dict[int, list[tuple[float, float, int]]]] = {}
    for p in points:
        if p.metric == metric and p.value is not None:
            grouped.setdefault(p.arm, {}).setdefault(p.seed, []).append((getattr(p, over), p.value, p.update))
    out = []
    for arm in sorted(grouped):
        seeds = [thinned([(x, y) for x, y, _ in sorted(rows)]) for _, rows in sorted(grouped[arm].items())]
        out.append(Arm(arm, seeds, thinned(_mean(list(grouped[arm].values())))))
    return out


def _mean(seeds: Sequence[Sequence[tuple[float, float, int]]]) -> list[tuple[float, float]]:
    """The mean of the seeds at every update that all of them reached; counts are averaged too."""
    by_update: dict[int, list[tuple[float, float]]] = {}
    for seed in seeds:
        for update, dot in {update: (x, y) for x, y, update in seed}.items():
            by_update.setdefault(update, []).append(dot)
    whole = [dots for _, dots in sorted(by_update.items()) if len(dots) == len(seeds)]
    return [(math.fsum(x for x, _ in dots) / len(dots), math.fsum(y for _, y in dots) / len(dots)) for dots in whole]


def thinned(dots: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """At most so many of the dots, evenly chosen; the last one is among them."""
    if len(dots) <= DRAWN:
        return dots
    step = (len(dots) - 1) / (DRAWN - 1)
    return [dots[round(i * step)] for i in range(DRAWN)]
