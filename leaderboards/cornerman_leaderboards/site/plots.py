"""The plots of a board, from its lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cornerman_leaderboards.site.lines import Line, groups
from cornerman_leaderboards.tables.cells import money, per_episode
from cornerman_leaderboards.web.plots.forest import Estimate, Group, forest
from cornerman_leaderboards.web.plots.heat import heat
from cornerman_leaderboards.web.plots.svg import Element
from cornerman_leaderboards.web.plots.tradeoff import Point, front, tradeoff

WIDE, BESIDE, NARROW = 720, 460, 340
"""Widths of a plot for a desk, alone and beside another, and for a phone."""


@dataclass(frozen=True)
class Currency:
    """What an episode costs. unit: its name; of: a method's cost; shown: a number of it."""

    key: str
    unit: str
    of: Callable[[Line], float]
    shown: Callable[[float], str]


CURRENCIES = (
    Currency("dollars", "dollars", lambda line: line.dollars, money),
    Currency("tokens", "tokens", lambda line: line.tokens, per_episode),
    Currency("turns", "turns", lambda line: line.row.turns_per_episode, per_episode),
)


def differences(found: Sequence[Line], width: int = WIDE) -> Element | None:
    """The forest plot, or None where nothing is compared."""
    sections = [
        Group(
            base.label,
            [Estimate(x.marked, x.row.delta.difference, x.row.delta.ci, x.direction) for x in own if x.row.delta],
        )
        for base, own in groups(found)
    ]
    return forest(sections, width) if sections else None


def currencies(found: Sequence[Line]) -> list[Currency]:
    """The costs that any of the methods has."""
    return [c for c in CURRENCIES if any(c.of(line) for line in found)]


def point(line: Line, currency: Currency, apart: bool = False) -> Point:
    """A method in the plot of success against cost."""
    return Point(
        line.marked,
        currency.of(line),
        line.row.success_rate,
        line.row.ci,
        line.direction,
        line.baseline,
        apart,
    )


def _points(found: Sequence[Line], currency: Currency) -> list[Point]:
    """All methods; those that are privileged stand apart, unless all are."""
    every = all(line.row.privileged for line in found)
    return [point(line, currency, line.row.privileged and not every) for line in found]


def success_against(found: Sequence[Line], currency: Currency, width: int = BESIDE) -> Element:
    """The plot of success against a cost."""
    return tradeoff(_points(found, currency), currency.unit, currency.shown, width)


def on_front(found: Sequence[Line], currency: Currency) -> list[str]:
    """The names of the methods on the Pareto front, cheapest first."""
    return [p.name for p in front(_points(found, currency))]


def task_map(tasks: Sequence[str], found: Sequence[Line], shares: Sequence[Sequence[float | None]]) -> Element:
    """The heat map."""
    return heat(tasks, [line.marked for line in found], shares)
