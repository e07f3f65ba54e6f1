"""Success against cost: every method as a point, and the front of those that none beats in both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cornerman_leaderboards.tables.cells import percent, percent_interval
from cornerman_leaderboards.web.plots.forest import Direction
from cornerman_leaderboards.web.plots.labels import Box, place
from cornerman_leaderboards.web.plots.scales import Scale, spanning, tick
from cornerman_leaderboards.web.plots.svg import Element, drawing, el, label, text_width
from cornerman_leaderboards.web.text import name

LEFT, RIGHT, TOP, BOTTOM = 40, 14, 26, 40


@dataclass(frozen=True)
class Point:
    """A method: what an episode cost, and its success rate with its 95 % interval.

    baseline: drawn hollow. apart: it sees what no agent has, and is no part of the front.
    """

    name: str
    cost: float
    rate: float
    ci: tuple[float, float]
    direction: Direction = "even"
    baseline: bool = False
    apart: bool = False


def front(points: Sequence[Point]) -> list[Point]:
    """The points that no other beats: none costs as little or less and succeeds more, or less and as often. By cost.

    Those that stand apart are left out.
    """
    own = [p for p in points if not p.apart]
    found: list[Point] = []
    for point in sorted(own, key=lambda p: (p.cost, -p.rate)):
        if not found or point.rate > found[-1].rate:
            found.append(point)
    return found


def tradeoff(points: Sequence[Point], unit: str, shown: Callable[[float], str], width: int = 720) -> Element:
    """The plot. unit: what the cost is; shown: writes a number of it."""
    height = min(420, int(width * 0.68))
    across = spanning([p.cost for p in points], LEFT, width - RIGHT)
    up = Scale(0.0, 1.0, height - BOTTOM, TOP)
    best = front(points)
    spots = _spots(points, across, up)
    labels = place(
        [(x, y, min(text_width(text), width * 0.4)) for text, x, y in spots],
        Box(LEFT, 4, width - RIGHT, height - BOTTOM),
        [Box(across(p.cost), up(p.rate) - 1, end, up(p.rate) + 1) for p, end in _runs(best, across)],
    )
    parts = [*_axes(across, up, unit, shown, width), *_front(best, across, up)]
    parts += [part for p in sorted(points, key=lambda p: p.baseline) for part in _point(p, across, up)]
    for (text, x, y), at in zip(spots, labels, strict=True):
        if at is None:
            continue
        if at.leader:
            parts.append(el("line", x1=x, y1=y, x2=at.end, y2=at.y, class_="leader"))
        parts.append(
            label(text, at.end, at.y + 4, at.width + 4, class_="small halo", anchor="end" if at.before else "start")
        )
    return drawing(width, height, f"Success rate against {unit}, an episode", parts)


def _spots(points: Sequence[Point], across: Scale, up: Scale) -> list[tuple[str, float, float]]:
    """What is to be labelled: points that lie on each other share a label."""
    groups: list[tuple[list[str], float, float]] = []
    for point in sorted(points, key=lambda p: (not p.baseline, -p.rate)):
        x, y = across(point.cost), up(point.rate)
        near = next((g for g in groups if abs(g[1] - x) < 6 and abs(g[2] - y) < 6), None)
        if near is None:
            groups.append(([point.name], x, y))
        else:
            near[0].append(point.name)
    return [(_joined(names), x, y) for names, x, y in groups]


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names[:2]) + (f" +{len(names) - 2}" if len(names) > 2 else "")


def _axes(across: Scale, up: Scale, unit: str, shown: Callable[[float], str], width: int) -> list[Element]:
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = up(share)
        parts.append(el("line", x1=LEFT, x2=width - RIGHT, y1=y, y2=y, class_="axis" if share == 0 else "gridline"))
        parts.append(el("text", f"{100 * share:.0f}", x=LEFT - 8, y=y + 4, class_="small faint", text_anchor="end"))
    ticks = across.ticks(4 if width < 520 else 6)
    for value in ticks:
        x = across(value)
        parts.append(el("line", x1=x, x2=x, y1=up(0), y2=up(0) + 4, class_="axis"))
        parts.append(el("text", tick(shown(value)), x=x, y=up(0) + 17, class_="small faint", text_anchor="middle"))
    scaled = ", logarithmic" if across.log else ""
    parts.append(el("text", "% solved", x=4, y=12, class_="small faint"))
    parts.append(
        el("text", f"{unit} an episode{scaled}", x=width - RIGHT, y=up(0) + 34, class_="small faint", text_anchor="end")
    )
    return parts


def _runs(best: Sequence[Point], across: Scale) -> list[tuple[Point, float]]:
    """The level pieces of the front: the point each starts from, and where it ends."""
    ends = [*(across(p.cost) for p in best[1:]), across.end]
    return list(zip(best, ends, strict=True)) if len(best) > 1 else []


def _front(best: Sequence[Point], across: Scale, up: Scale) -> list[Element]:
    """The front as steps: what is solved at a cost is what the cheaper ones solve, up to the next."""
    if len(best) < 2:
        return []
    path = f"M{across(best[0].cost):.1f} {up(best[0].rate):.1f}"
    path += "".join(f"H{across(p.cost):.1f}V{up(p.rate):.1f}" for p in best[1:])
    return [el("path", el("title", "Pareto front"), d=path + f"H{across.end:.1f}", class_="front")]


def _point(point: Point, across: Scale, up: Scale) -> list[Element]:
    x, y = across(point.cost), up(point.rate)
    told = f"{name(point.name)}: {percent(point.rate)} % {percent_interval(point.ci)}"
    kind = point.direction + (" hollow" if point.baseline or point.apart else "")
    return [
        el("line", x1=x, x2=x, y1=up(point.ci[0]), y2=up(point.ci[1]), class_=f"whisker {point.direction}"),
        el("circle", el("title", told), cx=x, cy=y, r=5 if point.baseline else 4.5, class_=kind),
    ]
