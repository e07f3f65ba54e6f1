"""pass@k and pass^k: hand-worked values, brute force over subsets, and their order."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornerman.stats import estimate_mean, pass_at_k, pass_hat_k, task_pass_at_k, task_pass_hat_k

draws = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n)))


def test_two_successes_in_five_trials_by_hand() -> None:
    # 10 pairs of trials: 3 hold no success, 1 holds two.
    assert pass_at_k(2, 5, 2) == pytest.approx(0.7)
    assert pass_hat_k(2, 5, 2) == pytest.approx(0.1)


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_both_are_shares_of_the_subsets_of_k_trials(trials: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(trials)))
    subsets = list(combinations(trials, k))
    assert pass_at_k(sum(trials), len(trials), k) == pytest.approx(np.mean([any(s) for s in subsets]))
    assert pass_hat_k(sum(trials), len(trials), k) == pytest.approx(np.mean([all(s) for s in subsets]))


@settings(deadline=None)
@given(draws)
def test_order_and_mirror(draw: tuple[int, int, int]) -> None:
    c, n, k = draw
    assert 0 <= pass_hat_k(c, n, k) <= c / n + 1e-12
    assert c / n - 1e-12 <= pass_at_k(c, n, k) <= 1
    assert pass_at_k(c, n, 1) == pytest.approx(c / n) == pytest.approx(pass_hat_k(c, n, 1))
    assert pass_at_k(c, n, k) == pytest.approx(1 - pass_hat_k(n - c, n, k))


@settings(deadline=None)
@given(draws)
def test_more_tries_help_the_one_and_hurt_the_other(draw: tuple[int, int, int]) -> None:
    c, n, k = draw
    for fewer in range(1, k):
        assert pass_at_k(c, n, fewer) <= pass_at_k(c, n, k) + 1e-12
        assert pass_hat_k(c, n, fewer) >= pass_hat_k(c, n, k) - 1e-12


def test_thousands_of_trials_do_not_overflow() -> None:
    assert pass_at_k(5, 5000, 2500) == pytest.approx(1 - 0.5**5, abs=1e-3)


def test_unbiased_where_the_plug_in_formula_is_not() -> None:
    rng = np.random.default_rng(3)
    rate, n, k = 0.3, 6, 3
    successes = rng.binomial(n, rate, 40_000)
    unbiased = np.mean([pass_at_k(int(c), n, k) for c in successes])
    plug_in = np.mean(1 - (1 - successes / n) ** k)
    truth = 1 - (1 - rate) ** k
    assert unbiased == pytest.approx(truth, abs=0.006)
    assert plug_in < truth - 0.04


def test_tasks_are_averaged_with_an_interval() -> None:
    outcomes = {"b": [True, False, False, False], "a": [True] * 4, "c": [False] * 4, "d": [True, True, False, False]}
    at_2, hat_2 = task_pass_at_k(outcomes, 2), task_pass_hat_k(outcomes, 2)
    assert at_2 == pytest.approx([1, 1 / 2, 0, 5 / 6])
    assert hat_2 == pytest.approx([1, 0, 0, 1 / 6])
    estimate = estimate_mean(at_2)
    assert estimate.value == pytest.approx(7 / 12)
    assert estimate.ci[0] < 7 / 12 < estimate.ci[1]
    assert (estimate.tasks, estimate.interval) == (4, "clustered bootstrap")


def test_a_task_with_too_few_trials_is_named() -> None:
    with pytest.raises(ValueError, match=r"1 of 2 have fewer \(task 'short' has 1\)"):
        task_pass_at_k({"long": [True, False], "short": [True]}, 2)


@pytest.mark.parametrize(("c", "n", "k"), [(3, 2, 1), (1, 2, 0), (1, 2, 3), (-1, 2, 1)])
def test_impossible_counts_are_refused(c: int, n: int, k: int) -> None:
    with pytest.raises(ValueError, match="need 0 ≤ successes ≤ trials"):
        pass_hat_k(c, n, k)
