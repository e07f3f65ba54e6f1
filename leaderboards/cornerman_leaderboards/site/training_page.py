"""The page of training runs: their learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from cornerman_leaderboards.site.curves import COUNTS, Point, arms, curves_file, metrics, read_curves
from cornerman_leaderboards.site.plots import BESIDE, NARROW
from cornerman_leaderboards.site.slugs import slugs
from cornerman_leaderboards.site.writing import Files
from cornerman_leaderboards.web.plots.lines import lines
from cornerman_leaderboards.web.plots.svg import inline, png, standalone

METRICS = 40
"""Metrics that the page draws at most."""


@dataclass(frozen=True)
class Curve:
    """One metric's plots: over each count the one for a desk, the one for a phone, and the files."""

    metric: str
    plots: Sequence[tuple[str, str, str, Sequence[str]]]


def write_training(templates: jinja2.Environment, files: Files, folders: Sequence[Path], bitmaps: bool) -> int:
    """Write the page of all folders that hold curves; answers how many metrics it shows, 0 where there is none."""
    points = [p for folder in folders if (path := curves_file(folder)) is not None for p in read_curves(path)]
    names = metrics(points)
    if not names:
        return 0
    shown = [
        _curve(files, points, metric, slug, bitmaps)
        for metric, slug in zip(names[:METRICS], slugs(names[:METRICS]), strict=True)
    ]
    values = {
        "root": "../",
        "curves": shown,
        "left_out": len(names) - len(shown),
        "arms": sorted({p.arm for p in points}),
        "seeds": len({(p.arm, p.seed) for p in points}),
    }
    files.add("training/index.html", templates.get_template("training.html").render(values))
    return len(shown)


def _curve(files: Files, points: Sequence[Point], metric: str, slug: str, bitmaps: bool) -> Curve:
    plots = []
    for over in ("environment_steps", "tokens"):
        found = arms(points, metric, over)
        wide, narrow = (lines(found, metric, COUNTS[over], width) for width in (BESIDE, NARROW))
        paths = [f"{slug}-by-{over.replace('_', '-')}.svg"]
        svg = standalone(wide)
        files.add(f"training/{paths[0]}", svg)
        if bitmaps:
            paths.append(paths[0].replace(".svg", ".png"))
            files.add(f"training/{paths[1]}", png(svg))
        plots.append((COUNTS[over], inline(wide), inline(narrow), paths))
    return Curve(metric, plots)
