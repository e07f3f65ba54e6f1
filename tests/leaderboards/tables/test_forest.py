"""Interval bars."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman_leaderboards.tables.forest import WIDTH, axis, bar, limit_of, zero


def test_a_bar_shows_where_the_interval_lies() -> None:
    assert zero() == "          │          "
    assert bar(0.0, (-0.5, 0.5), 1.0) == "     ├────●────┤     "
    assert bar(0.5, (0.2, 1.0), 1.0) == "          │ ├──●────┤"
    assert bar(0.3, (-0.2, 0.6), 1.0) == "        ├─┼──●──┤    "
    assert axis(1.0) == "−100      0      +100"
    assert axis(0.4) == "−40       0       +40"


@pytest.mark.parametrize(
    ("bound", "limit"), [(0.0, 0.1), (0.01, 0.1), (0.1, 0.1), (0.3, 0.3), (0.31, 0.4), (0.95, 1.0), (1.0, 1.0)]
)
def test_the_axis_ends_at_the_next_tenth(bound: float, limit: float) -> None:
    assert limit_of([(-bound, 0.0)]) == pytest.approx(limit)
    assert limit_of([(0.0, bound)]) == pytest.approx(limit)


share = st.floats(-1, 1)


@given(st.tuples(share, share, share))
def test_every_interval_is_drawn_within_its_axis(values: tuple[float, float, float]) -> None:
    low, middle, high = sorted(values)
    drawn = bar(middle, (low, high), limit_of([(low, high)]))
    assert len(drawn) == WIDTH
    assert drawn.count("●") == 1
    assert len(axis(limit_of([(low, high)]))) == WIDTH
