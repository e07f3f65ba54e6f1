"""Learning curves: a line an arm, the mean of its seeds, which are drawn thin behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cornerman_leaderboards.tables.cells import per_episode
from cornerman_leaderboards.web.plots.scales import Scale, rounded, tick
from cornerman_leaderboards.web.plots.svg import Element, drawing, el, label

ARMS = 6
"""Colours that there are."""
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 26, 40

Dots = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Arm:
    """One arm's curves: the seeds', and their mean."""

    name: str
    seeds: Sequence[Dots]
    mean: Dots


def lines(arms: Sequence[Arm], metric: str, unit: str, width: int = 720) -> Element:
    """The plot of one metric over one count."""
    height = min(340, int(width * 0.66)) + 18 * math.ceil(len(arms) / _columns(width))
    dots = [dot for arm in arms for seed in arm.seeds for dot in seed]
    across = Scale(0.0, max((x for x, _ in dots), default=1.0) or 1.0, LEFT, width - RIGHT)
    foot = height - BOTTOM - 18 * math.ceil(len(arms) / _columns(width))
    up = _upwards([y for _, y in dots], foot)
    parts = _axes(across, up, metric, unit, width)
    for i, arm in enumerate(arms):
        if len(arm.seeds) > 1:
            parts += [_line(seed, across, up, f"line thin a{i % ARMS}") for seed in arm.seeds]
        parts.append(_line(arm.mean, across, up, f"line a{i % ARMS}"))
    parts += _legend(arms, width, foot + BOTTOM + 8)
    return drawing(width, height, f"{metric} over {unit}", parts)


def _columns(width: int) -> int:
    return max(1, width // 230)


def _upwards(values: Sequence[float], foot: float) -> Scale:
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        return Scale(0.0, 1.0, foot, TOP)
    margin = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return Scale(low - margin, high + margin, foot, TOP)


def _axes(across: Scale, up: Scale, metric: str, unit: str, width: int) -> list[Element]:
    parts = []
    shown = _digits(up)
    for value in up.ticks(5):
        y = up(value)
        parts.append(el("line", x1=LEFT, x2=width - RIGHT, y1=y, y2=y, class_="gridline"))
        parts.append(el("text", shown(value), x=LEFT - 8, y=y + 4, class_="small faint", text_anchor="end"))
    parts.append(el("line", x1=LEFT, x2=width - RIGHT, y1=up.start, y2=up.start, class_="axis"))
    for count in rounded(across.low, across.high, 3 if width < 400 else 5):
        x = across(count)
        parts.append(el("line", x1=x, x2=x, y1=up.start, y2=up.start + 4, class_="axis"))
        parts.append(
            el(
                "text",
                tick(per_episode(count)),
                x=x,
                y=up.start + 17,
                class_="small faint",
                text_anchor="middle",
            )
        )
    parts.append(label(metric, 4, 12, width * 0.6, class_="small soft"))
    parts.append(label(unit, width - RIGHT, up.start + 34, width * 0.5, class_="small faint", anchor="end"))
    return parts


def _digits(up: Scale) -> Callable[[float], str]:
    digits = max(0, min(6, 1 - math.floor(math.log10((up.high - up.low) / 4))))
    return lambda value: f"{value:.{digits}f}".replace("-", "−")


def _line(dots: Dots, across: Scale, up: Scale, class_: str) -> Element:
    return el("polyline", points=" ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in dots), class_=class_)


def _legend(arms: Sequence[Arm], width: int, top: float) -> list[Element]:
    columns = _columns(width)
    room = (width - LEFT - RIGHT) / columns
    parts = []
    for i, arm in enumerate(arms):
        x, y = LEFT + (i % columns) * room, top + 18 * (i // columns)
        parts.append(el("line", x1=x, x2=x + 16, y1=y, y2=y, class_=f"line a{i % ARMS}"))
        parts.append(label(arm.name, x + 22, y + 4, room - 30, class_="small"))
    return parts
