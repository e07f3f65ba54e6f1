"""Plots: scales, the Pareto front, places for labels, and SVG that holds its texts as texts."""

from __future__ import annotations

import importlib.util
import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.payloads import ALL

from cornerman.errors import UsageError
from cornerman_leaderboards.web.plots.forest import Estimate, Group, forest
from cornerman_leaderboards.web.plots.heat import heat
from cornerman_leaderboards.web.plots.labels import Box, place
from cornerman_leaderboards.web.plots.lines import Arm, lines
from cornerman_leaderboards.web.plots.scales import Scale, rounded, spanning
from cornerman_leaderboards.web.plots.strip import strip
from cornerman_leaderboards.web.plots.svg import Element, inline, png, standalone
from cornerman_leaderboards.web.plots.tradeoff import Point, front, tradeoff

SVG = "{http://www.w3.org/2000/svg}"
POINTS = [Point(name, 10.0 * i, i / len(ALL), (0.0, 1.0)) for i, name in enumerate(ALL, 1)]
PLOTS = [
    forest([Group(ALL[0], [Estimate(name, 0.1, (-0.2, 0.4), "better") for name in ALL])]),
    tradeoff(POINTS, "tokens", str),
    heat(ALL, ALL, [[i / 20 for i in range(len(ALL))]] * len(ALL)),
    lines([Arm(name, [[(0.0, 0.1), (5.0, 0.4)]], [(0.0, 0.1), (5.0, 0.4)]) for name in ALL], ALL[0], "steps"),
    strip(POINTS),
]


def test_scales_put_numbers_where_they_belong() -> None:
    assert [Scale(0, 10, 100, 200)(x) for x in (0, 5, 10, 99)] == [100, 150, 200, 200]
    assert Scale(1, 100, 0, 1, log=True)(10) == pytest.approx(0.5)
    assert rounded(-0.7, 1, 4) == [-0.5, 0.0, 0.5, 1.0]
    assert Scale(1, 1000, 0, 1, log=True).ticks() == [1, 10, 100, 1000]


@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=9))
def test_every_cost_lies_on_its_scale(costs: list[float]) -> None:
    scale = spanning(costs, 0, 100)
    assert all(0 <= scale(cost) <= 100 for cost in costs)
    assert scale.ticks()
    assert all(math.isfinite(tick) for tick in scale.ticks())


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_the_front_is_what_none_beats(pairs: list[tuple[int, int]]) -> None:
    points = [Point(str(i), float(cost), rate / 9, (0, 1)) for i, (cost, rate) in enumerate(pairs)]
    found = front(points)

    def beats(a: Point, b: Point) -> bool:
        return a.cost <= b.cost and a.rate >= b.rate and (a.cost, a.rate) != (b.cost, b.rate)

    best = {(p.cost, p.rate) for p in points if not any(beats(q, p) for q in points)}
    assert [(p.cost, p.rate) for p in found] == sorted(best)


def test_what_stands_apart_is_on_no_front() -> None:
    gold = Point("gold", 1.0, 1.0, (0, 1), apart=True)
    assert front([gold, POINTS[0]]) == [POINTS[0]]


def test_labels_cover_neither_each_other_nor_points() -> None:
    spots = [(50.0 + 3 * i, 50.0 + 2 * i, 60.0) for i in range(8)]
    placed = [p for p in place(spots, Box(0, 0, 300, 300)) if p is not None]
    assert len(placed) == 8
    boxes = [p.box for p in placed] + [Box(x - 5, y - 5, x + 5, y + 5) for x, y, _ in spots]
    assert all(a.overlap(b) == 0 for i, a in enumerate(boxes[:8]) for b in boxes[i + 1 :])


@pytest.mark.parametrize("plot", PLOTS)
def test_a_plot_is_well_formed_asks_for_nothing_and_holds_no_markup_of_others(plot: Element) -> None:
    svg = standalone(plot)
    root = ET.fromstring(svg.encode())
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        *("svg", "g", "rect", "line", "circle", "path", "polyline", "text", "title", "style")
    }
    assert len(root.findall(f"{SVG}style")) == 1
    assert not {a for e in root.iter() for a in e.attrib if a.startswith("on") or "href" in a}
    assert "var(" not in svg
    assert "url(" not in svg
    assert len(svg) < 400_000
    assert "<script" not in inline(plot)


def test_a_bitmap_is_a_png_or_says_what_it_needs() -> None:
    svg = standalone(PLOTS[0])
    if importlib.util.find_spec("resvg_py") is None:
        with pytest.raises(UsageError, match="pip install 'cornerman\\[site\\]'"):
            png(svg)
    else:
        assert png(svg).startswith(b"\x89PNG\r\n")
