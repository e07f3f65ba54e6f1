"""Power from a pilot: the formula against simulations, the variance against its truth, and pilots that say little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from cornerman.stats import sign_flip_test, wilson_interval
from cornerman.trial.power import detectable, pilot_variance, quantile_sum, tasks_needed, trials_needed

TASKS, TRIALS, SPREAD = 80, 3, 0.15


def rates(n: int, effect: float) -> tuple[np.ndarray, np.ndarray]:
    """Success rates of both arms on n tasks, whose effects are `effect` ± SPREAD."""
    before = np.linspace(0.25, 0.6, n)
    return before, before + effect + SPREAD * np.where(np.arange(n) % 2, 1, -1)


def truth(n: int, effect: float) -> tuple[float, float]:
    """τ² and σ² of such tasks."""
    before, after = rates(n, effect)
    return SPREAD**2, float(np.mean(before * (1 - before) + after * (1 - after)))


def test_tests_find_the_detectable_difference_about_as_often_as_is_said() -> None:
    effect = 0.1
    for _ in range(5):  # the variance depends on the effect a little
        between, within = truth(TASKS, effect)
        effect = detectable(between + within / TRIALS, TASKS, 0.05, 0.8)
    rng = np.random.default_rng(1)
    before, after = rates(TASKS, effect)
    chosen = rng.integers(0, TASKS, (20_000, TASKS))  # tasks are a sample, too
    drawn = (rng.binomial(TRIALS, after[chosen]) - rng.binomial(TRIALS, before[chosen])) / TRIALS
    t = ttest_1samp(drawn, 0, axis=1)
    assert np.mean(t.pvalue < 0.05) == pytest.approx(0.79, abs=0.01)
    flipped = [sign_flip_test(row, seed=rng, flips=1000) < 0.05 for row in drawn[:500]]
    assert np.mean(flipped) == pytest.approx(0.745, abs=0.055)  # ties of thirds make it cautious on so few tasks


def test_a_pilot_tells_variance_between_tasks_from_that_within() -> None:
    n = 4000
    rng = np.random.default_rng(2)
    before, after = (rng.random((n, 4)) < p[:, None] for p in rates(n, 0.1))
    names = [str(i) for i in range(n)]
    found = pilot_variance(dict(zip(names, before, strict=True)), dict(zip(names, after, strict=True)))
    assert found is not None
    between, within = truth(n, 0.1)
    assert found.between == pytest.approx(between, abs=0.01)
    assert found.within == pytest.approx(within, rel=0.03)


def test_sizes_are_those_that_reach_the_goal() -> None:
    assert quantile_sum(0.05, 0.8) == pytest.approx(2.8016, abs=1e-4)  # Cohen's 2.80
    assert tasks_needed(0.25, 0.1, 0.05, 0.8) == 197  # Cohen 1988: d = 0.2, one sample, large n
    pilot = {str(i): [i % 2 == 0, i % 3 == 0] for i in range(12)}
    found = pilot_variance({str(i): [False, i % 4 == 0] for i in range(12)}, pilot)
    assert found is not None
    assert found.between is not None
    assert found.within is not None
    k = trials_needed(found, 200, 0.12, 0.05, 0.8)
    assert k is not None
    reach = [detectable(found.between + found.within / n, 200, 0.05, 0.8) for n in (k, max(1, k - 1))]
    assert reach[0] <= 0.12
    assert k == 1 or reach[1] > 0.12


def test_trials_cannot_mend_a_panel_that_is_too_small() -> None:
    found = pilot_variance({str(i): [i < 5] * 3 for i in range(10)}, {str(i): [i % 2 == 0] * 3 for i in range(10)})
    assert found is not None
    assert found.within == 0
    assert trials_needed(found, 10, 0.05, 0.05, 0.8) is None


@pytest.mark.parametrize(("before", "after", "gap"), [(False, False, 0), (False, True, 1)])
def test_equal_differences_bound_the_variance(before: bool, after: bool, gap: int) -> None:
    found = pilot_variance({str(i): [before] for i in range(12)}, {str(i): [after] for i in range(12)})
    assert found is not None
    assert found.bounded
    assert found.total == pytest.approx(wilson_interval(0, 12)[1] * (1 + gap) ** 2)


def test_one_trial_is_not_split_and_one_task_says_nothing() -> None:
    found = pilot_variance({"a": [False], "b": [True]}, {"a": [True], "b": [True]})
    assert found is not None
    assert found.within is None
    assert found.total == pytest.approx(0.5)
    assert trials_needed(found, 100, 0.05, 0.05, 0.8) is None
    assert pilot_variance({"a": [True, False]}, {"a": [True, True]}) is None
