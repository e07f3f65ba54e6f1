"""The interval of a ratio of sums over tasks."""

from __future__ import annotations

import numpy as np
import pytest

from cornerman.stats import bootstrap_interval, ratio_interval


def test_with_equal_denominators_it_is_the_interval_of_the_mean() -> None:
    values = np.random.default_rng(1).normal(size=30)
    assert ratio_interval(values, np.ones(30)) == pytest.approx(bootstrap_interval(values), abs=1e-12)
    assert ratio_interval(7 * values, np.full(30, 7.0)) == pytest.approx(bootstrap_interval(values), abs=1e-12)


def test_it_covers_the_truth_as_often_as_it_says() -> None:
    """Clusters of unequal size whose values depend on the size, so that a mean of means would be wrong."""
    rng = np.random.default_rng(2)
    hits = []
    for trial in range(400):
        sizes = rng.integers(1, 6, size=25).astype(float)
        totals = sizes * (0.1 * sizes + rng.normal(size=25) * 0.3)
        low, high = ratio_interval(totals, sizes, resamples=500, seed=trial)
        hits.append(low <= 0.1 * 11 / 3 <= high)  # E[n²] / E[n] = 11 / 3
    assert 0.91 <= np.mean(hits) <= 0.99


def test_what_can_teach_nothing_is_a_point() -> None:
    assert ratio_interval([1.0, 2.0], [2.0, 4.0]) == (0.5, 0.5)
    assert ratio_interval([3.0], [2.0]) == (1.5, 1.5)


@pytest.mark.parametrize(("y", "n"), [([], []), ([1.0], [0.0]), ([1.0], [1.0, 2.0]), ([float("nan")], [1.0])])
def test_what_is_no_data_is_refused(y: list[float], n: list[float]) -> None:
    with pytest.raises(ValueError, match="one entry per task"):
        ratio_interval(y, n)
