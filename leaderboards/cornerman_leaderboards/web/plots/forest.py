"""The forest plot: every method's paired difference to its baseline, with its interval, on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cornerman_leaderboards.tables.cells import points, points_interval, signed
from cornerman_leaderboards.tables.forest import limit_of
from cornerman_leaderboards.web.plots.scales import Scale, rounded
from cornerman_leaderboards.web.plots.svg import Element, drawing, el, label

Direction = Literal["better", "worse", "even"]
LINE, HEAD, FOOT = 26, 30, 12
NUMBERS = 132
"""Width of the column of numbers."""


@dataclass(frozen=True)
class Estimate:
    """A difference of success rates with its 95 % interval; direction: what the corrected p-value says of it."""

    name: str
    difference: float
    ci: tuple[float, float]
    direction: Direction


@dataclass(frozen=True)
class Group:
    """Differences to one baseline."""

    baseline: str
    estimates: Sequence[Estimate]


def forest(groups: Sequence[Group], width: int = 720) -> Element:
    """The plot. In a narrow one the names stand above their intervals."""
    narrow = width < 520
    names = 4 if narrow else min(230.0, width * 0.34)
    limit = limit_of([e.ci for g in groups for e in g.estimates])
    scale = Scale(-limit, limit, names + 8, width - NUMBERS - 12)
    step = LINE + (16 if narrow else 0)
    parts: list[Element] = []
    y = float(HEAD)
    for group in groups:
        parts += _baseline(group, scale, y, width, names, narrow)
        y += step
        for number, estimate in enumerate(sorted(group.estimates, key=lambda e: -e.difference)):
            if number % 2 == 0:
                parts.append(el("rect", x=0, y=y - LINE / 2, width=width, height=step, class_="band"))
            parts += _row(estimate, scale, y, width, names, narrow)
            y += step
        y += LINE / 2
    bottom = y - LINE
    height = bottom + FOOT
    whole = [*_axis(scale, limit, bottom, narrow), *_heads(scale, width), *parts]
    return drawing(width, height, "Differences in success rate to the baseline, with 95 % intervals", _ordered(whole))


def _ordered(parts: Sequence[Element]) -> list[Element]:
    """The shaded rows below everything else."""
    return sorted(parts, key=lambda part: part.get("class") != "band")


def _heads(scale: Scale, width: int) -> list[Element]:
    middle = scale(0)
    return [
        el("text", "← worse", x=middle - 8, y=12, class_="small faint", text_anchor="end"),
        el("text", "better →", x=middle + 8, y=12, class_="small faint"),
        el("text", "points  [95 % CI]", x=width - 4, y=12, class_="small faint", text_anchor="end"),
    ]


def _axis(scale: Scale, limit: float, bottom: float, narrow: bool) -> list[Element]:
    parts = []
    for tick in rounded(-limit, limit, 3 if narrow else 7):
        x = scale(tick)
        kind = "axis" if tick == 0 else "gridline"
        parts.append(el("line", x1=x, x2=x, y1=20, y2=bottom, class_=kind))
        shown = signed(100 * tick, 0)
        parts.append(el("text", shown, x=x, y=bottom + 11, class_="small faint", text_anchor="middle"))
    return parts


def _baseline(group: Group, scale: Scale, y: float, width: int, names: float, narrow: bool) -> list[Element]:
    line = y + (16 if narrow else 0)
    return [
        label(f"{group.baseline}, the baseline", 4, y + 4, width - 8 if narrow else names, class_="bold"),
        el("circle", cx=scale(0), cy=line, r=4.5, class_="even hollow"),
    ]


def _row(estimate: Estimate, scale: Scale, y: float, width: int, names: float, narrow: bool) -> list[Element]:
    low, middle, high = scale(estimate.ci[0]), scale(estimate.difference), scale(estimate.ci[1])
    line = y + (16 if narrow else 0)
    numbers = f"{points(estimate.difference)}  {points_interval(estimate.ci)}"
    return [
        label(estimate.name, 4, y + 4, width - 8 if narrow else names),
        el("line", x1=low, x2=high, y1=line, y2=line, class_=f"interval {estimate.direction}"),
        *(
            el("line", x1=x, x2=x, y1=line - 4, y2=line + 4, class_=f"interval {estimate.direction}")
            for x in (low, high)
        ),
        el("circle", cx=middle, cy=line, r=4.5, class_=estimate.direction),
        el("text", numbers, x=width - 4, y=line + 4, class_=estimate.direction, text_anchor="end"),
    ]
