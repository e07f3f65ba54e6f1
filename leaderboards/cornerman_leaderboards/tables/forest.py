"""Intervals drawn as bars on a common axis: the forest plot of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cornerman_leaderboards.tables.cells import signed

WIDTH = 21
"""Characters of the axis; odd, so that zero has one of its own."""

Interval = tuple[float, float]


def limit_of(intervals: Sequence[Interval]) -> float:
    """The axis' end on both sides: the farthest bound, rounded up to a tenth, at least a tenth."""
    farthest = max((abs(bound) for ci in intervals for bound in ci), default=0.0)
    return min(1.0, max(0.1, math.ceil(farthest * 10 - 1e-9) / 10))


def axis(limit: float) -> str:
    """The axis' numbers, in percentage points: both ends and zero."""
    left, right = signed(-100 * limit, 0), signed(100 * limit, 0)
    half = WIDTH // 2
    return left.ljust(half) + "0" + right.rjust(half)


def zero() -> str:
    """The line of zero alone."""
    return "│".center(WIDTH)


def bar(middle: float, ci: Interval, limit: float) -> str:
    """An interval with its middle, and the line of zero: ` │   ├─●──┤ `."""

    def place(value: float) -> int:
        return round((value / limit + 1) / 2 * (WIDTH - 1))

    low, high, centre = place(ci[0]), place(ci[1]), WIDTH // 2
    drawn = [*zero()]
    drawn[low : high + 1] = "─" * (high - low + 1)
    drawn[low], drawn[high] = "├", "┤"
    if low <= centre <= high:
        drawn[centre] = "┼"
    drawn[place(middle)] = "●"
    return "".join(drawn)
