"""Successes for a unit of cost: by hand, its symmetries, its edges and its coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from cornerman.stats import per_unit_interval, wilson_interval

tasks = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 1000)), min_size=2, max_size=20)


def test_by_hand() -> None:
    y, x = np.array([1.0, 2.0, 0.0]), np.array([10.0, 12.0, 20.0])
    ratio = 3 / 42
    error = math.sqrt(sum((y - ratio * x) ** 2) / 6) / 14
    stretch = math.exp(reference.t.ppf(0.975, 2) * error / ratio)
    assert per_unit_interval(y, x, 2) == pytest.approx((ratio / stretch, ratio * stretch))


@settings(deadline=None)
@given(tasks, st.integers(1, 100))
def test_the_limits_surround_the_ratio_and_scale_with_the_currency(found: list[tuple[int, int]], unit: int) -> None:
    y, x = map(np.array, zip(*found, strict=True))
    low, high = per_unit_interval(y, x, 4) or (0.0, 0.0)
    assert 0 <= low <= y.sum() / x.sum() * (1 + 1e-12)
    assert y.sum() / x.sum() <= high * (1 + 1e-12)
    assert per_unit_interval(y, x / unit, 4) == pytest.approx((low * unit, high * unit))


def test_where_all_tasks_are_alike_it_is_wilsons_at_the_mean_cost() -> None:
    low, high = wilson_interval(0, 5)
    assert per_unit_interval([0] * 5, [3, 4, 5, 6, 7], 2) == pytest.approx((low * 2 / 5, high * 2 / 5))
    assert per_unit_interval([2], [10], 2) == pytest.approx(tuple(2 * limit / 10 for limit in wilson_interval(1, 1)))


def test_nothing_spent_has_no_price_and_bad_arrays_are_refused() -> None:
    assert per_unit_interval([1, 0], [0, 0], 1) is None
    for y, x in (([1], [1, 2]), ([1, 1], [1, -1]), ([], [])):
        with pytest.raises(ValueError, match="one entry per task"):
            per_unit_interval(y, x, 1)


@pytest.mark.parametrize(("count", "rate"), [(12, 0.3), (30, 0.1), (100, 0.7)])
def test_coverage_where_hard_tasks_cost_more(count: int, rate: float) -> None:
    rng = np.random.default_rng(count)

    def panel(n: int) -> tuple[np.ndarray, np.ndarray]:
        ease = rng.beta(1.5 * rate, 1.5 * (1 - rate), n)
        solved = rng.random((n, 2)) < ease[:, None]
        cost = rng.lognormal(0, 0.6, (n, 2)) * np.where(solved, 1, 2.5) * (1.5 - ease)[:, None]
        return solved.sum(axis=1), cost.sum(axis=1)

    y, x = panel(400_000)
    truth, hits = y.sum() / x.sum(), 0
    for _ in range(400):
        low, high = per_unit_interval(*panel(count), 2) or (0.0, 0.0)
        hits += low <= truth <= high
    assert 0.92 <= hits / 400 <= 0.99
