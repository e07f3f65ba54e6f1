"""The task-clustered bootstrap: against scipy's BCa, its symmetries, its edges and its coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cornerman.stats import bootstrap, bootstrap_interval, bootstrap_intervals

task_values = st.lists(st.integers(0, 4).map(lambda c: c / 4), min_size=2, max_size=30)


@pytest.mark.parametrize("n", [10, 40])
def test_limits_are_scipys_bca_limits_at_the_widened_level(n: int) -> None:
    values = np.random.default_rng(n).beta(0.8, 2.5, n)
    width = math.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1)
    level = 1 - 2 * stats.norm.cdf(-width)
    reference = stats.bootstrap(
        (values,), np.mean, method="BCa", confidence_level=level, n_resamples=50_000, rng=np.random.default_rng(1)
    ).confidence_interval
    ours = bootstrap_interval(values, resamples=50_000, seed=2)
    assert ours == pytest.approx((reference.low, reference.high), abs=0.05 * (reference.high - reference.low))


@settings(deadline=None)
@given(task_values)
def test_limits_stay_within_the_values_and_mirror(values: list[float]) -> None:
    low, high = bootstrap_interval(values, resamples=400)
    assert min(values) <= low <= high <= max(values)
    mirrored = bootstrap_interval([-value for value in values], resamples=400)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)


@settings(deadline=None)
@given(task_values)
def test_more_confidence_is_wider(values: list[float]) -> None:
    low, high = bootstrap_interval(values, resamples=400, confidence=0.8)
    sure_low, sure_high = bootstrap_interval(values, resamples=400, confidence=0.95)
    assert sure_low <= low + 1e-12
    assert high <= sure_high + 1e-12


@pytest.mark.parametrize("values", [[0.5], [0.25] * 8])
def test_nothing_to_resample_gives_a_point(values: list[float]) -> None:
    assert bootstrap_interval(values) == (values[0], values[0])


def test_many_columns_have_the_intervals_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(0).integers(0, 5, (300, 4)) / 4
    table[:, 2] = 0.5
    found = bootstrap_intervals(table, resamples=800, seed=3)
    for values, ci in zip(table.T, found, strict=True):
        assert ci == pytest.approx(bootstrap_interval(values, resamples=800, seed=3), abs=1e-12)
    assert found[2] == (0.5, 0.5)
    monkeypatch.setattr(bootstrap, "MANY", 100)  # the same interval by drawing distinct values, but for chance
    width = found[0][1] - found[0][0]
    assert bootstrap_intervals(table, resamples=8000, seed=3)[0] == pytest.approx(found[0], abs=0.1 * width)


def test_the_seed_decides() -> None:
    values = np.random.default_rng(0).random(25)
    assert bootstrap_interval(values, seed=4) == bootstrap_interval(values.tolist(), seed=4)
    assert bootstrap_interval(values, seed=4, resamples=500) != bootstrap_interval(values, seed=5, resamples=500)


def test_many_tasks_are_resampled_in_batches_with_the_right_spread() -> None:
    values = np.random.default_rng(0).random(5000)
    low, high = bootstrap_interval(values, resamples=1200)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(5000), rel=0.1)
    assert low < values.mean() < high


@pytest.mark.parametrize("bad", [[], [0.5, float("inf")], [[0.5]]])
def test_arrays_that_are_not_one_number_per_task_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="one per task"):
        bootstrap_interval(bad)


@pytest.mark.parametrize("tasks", [12, 40])
def test_coverage_of_a_rate_whose_trials_cluster_in_tasks(tasks: int) -> None:
    """Tasks of Beta(1/2, 1/2) difficulty, four trials each: the true rate is 1/2.

    The interval that takes all 4n trials for independent ones misses it much more often than 1 time in 20.
    """
    rng = np.random.default_rng(tasks)
    runs, trials = 500, 4
    means = rng.binomial(trials, rng.beta(0.5, 0.5, (runs, tasks))) / trials
    intervals = np.array([bootstrap_interval(row, resamples=800, seed=i) for i, row in enumerate(means)])
    covered = np.mean((intervals[:, 0] <= 0.5) & (intervals[:, 1] >= 0.5))
    assert 0.93 <= covered <= 0.99
    rate = means.mean(axis=1)
    naive_half = 1.96 * np.sqrt(rate * (1 - rate) / (tasks * trials))
    assert np.mean(abs(rate - 0.5) <= naive_half) < 0.85
