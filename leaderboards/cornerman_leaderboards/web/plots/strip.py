"""A strip of dots: the success rates of a board's methods on one line, from none to all."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman_leaderboards.tables.cells import percent
from cornerman_leaderboards.web.plots.scales import Scale
from cornerman_leaderboards.web.plots.svg import Element, drawing, el
from cornerman_leaderboards.web.plots.tradeoff import Point
from cornerman_leaderboards.web.text import name

WIDTH, HEIGHT = 384, 34


def strip(points: Sequence[Point]) -> Element:
    """The strip; the baseline is hollow."""
    scale = Scale(0.0, 1.0, 8, WIDTH - 8)
    middle = 11.0
    parts = [el("line", x1=scale(0), x2=scale(1), y1=middle, y2=middle, class_="axis")]
    for tick in (0.0, 0.5, 1.0):
        x = scale(tick)
        parts.append(el("line", x1=x, x2=x, y1=middle - 3, y2=middle + 3, class_="axis"))
        parts.append(el("text", f"{100 * tick:.0f}", x=x, y=HEIGHT - 3, class_="small faint", text_anchor="middle"))
    for point in sorted(points, key=lambda p: p.baseline):
        kind = point.direction + (" hollow" if point.baseline else "")
        told = el("title", f"{name(point.name)}: {percent(point.rate)} %")
        parts.append(el("circle", told, cx=scale(point.rate), cy=middle, r=5, class_=kind))
    return drawing(WIDTH, HEIGHT, "Success rates of the methods, in percent; the baseline is hollow", parts)
