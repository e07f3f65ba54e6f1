"""The boundary of a logistic regression against truth, an independent implementation, and what has none."""

from __future__ import annotations

import numpy as np
import pytest

from cornerman.stats.logistic import boundary


def drawn(n: int, slope: float, at: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers around `at` and successes of a known regression, ten steps a task."""
    rng = np.random.default_rng(seed)
    x = rng.normal(at, 1, n)
    y = rng.random(n) < 1 / (1 + np.exp(-slope * (x - at)))
    return x, y, np.arange(n) // 10


def test_it_finds_the_boundary_of_a_known_regression_within_its_interval() -> None:
    x, y, tasks = drawn(4000, -1.5, 2.0)
    found = boundary(x, y, tasks, resamples=200)
    assert found is not None
    assert found.low < 2.0 < found.up
    assert found.low < found.value < found.up
    assert found.up - found.low < 0.3
    assert found.slope == pytest.approx(-1.5, abs=0.15)
    assert found.share == 1


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    hits = 0
    for seed in range(40):
        found = boundary(*drawn(600, -1.5, 1.0, seed), resamples=200)
        hits += found is not None and found.low < 1.0 < found.up
    assert 34 <= hits <= 40


def test_the_fit_is_that_of_another_implementation() -> None:
    statsmodels = pytest.importorskip("statsmodels.api")
    x, y, tasks = drawn(500, -2.0, 0.5)
    found = boundary(x, y, tasks, resamples=100)
    assert found is not None
    weights = np.where(y, 1 / (2 * y.mean()), 1 / (2 * (1 - y.mean())))
    z = (x - x.mean()) / x.std()
    from scipy.optimize import minimize

    def loss(beta: np.ndarray) -> float:
        eta = beta[0] + beta[1] * z
        return float(weights @ (np.logaddexp(0, eta) - y * eta)) + beta[1] ** 2 / 2

    a, b = minimize(loss, [0.0, 0.0], tol=1e-12).x
    assert found.value == pytest.approx(x.mean() - x.std() * a / b, abs=1e-4)
    free = statsmodels.GLM(y.astype(float), statsmodels.add_constant(x), family=statsmodels.families.Binomial(),
                           freq_weights=weights).fit()  # fmt: skip
    assert found.slope == pytest.approx(free.params[1], rel=0.05)  # the penalty draws it towards 0 a little
    assert abs(found.slope) < abs(free.params[1])


def test_it_does_not_move_with_how_many_succeed() -> None:
    x, y, tasks = drawn(20_000, -1.5, 1.0)
    keep = ~y | (np.random.default_rng(1).random(y.size) < 0.1)
    found = boundary(x[keep], y[keep], tasks[keep], resamples=100)
    assert found is not None
    assert found.value == pytest.approx(1.0, abs=0.15)


def test_classes_that_a_number_parts_have_a_boundary_between_them() -> None:
    found = boundary([0, 1, 2, 3, 4, 5], [1, 1, 1, 0, 0, 0], range(6), resamples=200)
    assert found is not None
    assert found.value == pytest.approx(2.5)
    assert np.isfinite([found.slope, found.low, found.up]).all()


def test_where_success_does_not_fall_there_is_none() -> None:
    assert boundary([0, 1, 2, 3], [0, 0, 1, 1], range(4)) is None
    assert boundary([1, 1, 1], [0, 1, 0], range(3)) is None


def test_the_seed_decides_and_whole_clusters_are_drawn() -> None:
    x, y, tasks = drawn(300, -1.5, 1.0)
    assert boundary(x, y, tasks, seed=1, resamples=100) == boundary(x, y, tasks, seed=1, resamples=100)
    assert boundary(x, y, tasks, seed=1, resamples=100) != boundary(x, y, tasks, seed=2, resamples=100)
    alone = boundary(np.repeat(x, 5), np.repeat(y, 5), np.arange(1500), resamples=300)
    together = boundary(np.repeat(x, 5), np.repeat(y, 5), np.repeat(np.arange(300), 5), resamples=300)
    assert alone is not None
    assert together is not None
    assert together.up - together.low > 1.5 * (alone.up - alone.low)


@pytest.mark.parametrize(
    "wrong", [([1, 2], [True, True], [0, 1]), ([1, np.nan], [True, False], [0, 1]), ([1], [True, False], [0, 1])]
)
def test_what_cannot_be_fitted_is_refused(wrong: tuple[list[float], list[bool], list[int]]) -> None:
    with pytest.raises(ValueError, match="need"):
        boundary(*wrong)
