"""Holm and Westfall-Young max-T: by hand, by brute force, and the family-wise error rate."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from cornerman.stats import difference_matrix, holm, max_t, sign_flip_test

p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_a_family_worked_by_hand() -> None:
    # sorted 0.005, 0.01, 0.03, 0.04: times 4, 3, 2, 1 = 0.02, 0.03, 0.06, 0.04; made monotone 0.02, 0.03, 0.06, 0.06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@settings(max_examples=15, deadline=None)
@given(p_lists)
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


@settings(deadline=None)
@given(p_lists)
def test_holm_never_helps_a_p_value_and_never_exceeds_bonferroni(p_values: list[float]) -> None:
    adjusted, raw = holm(p_values), np.array(p_values)
    assert (adjusted >= raw).all()
    assert (adjusted <= np.minimum(1, len(raw) * raw) + 1e-12).all()
    assert (np.diff(adjusted[np.argsort(raw)]) >= 0).all()


@pytest.mark.parametrize("bad", [[1.2], [-0.1, 0.5], [float("nan")]])
def test_numbers_that_are_no_p_values_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm(bad)


def test_no_comparison_gives_no_p_value() -> None:
    assert holm([]).size == 0


def brute_force_max_t(matrix: np.ndarray) -> list[float]:
    """Step-down max-T straight from its definition: one hypothesis at a time, over every sign pattern."""
    statistic = abs(matrix.sum(1)) / np.sqrt((matrix**2).sum(1))
    order = sorted(range(len(matrix)), key=lambda j: -statistic[j])
    adjusted, floor = [0.0] * len(matrix), 0.0
    patterns = [np.array(signs) for signs in product((-1, 1), repeat=matrix.shape[1])]
    for rank, j in enumerate(order):
        rest = matrix[order[rank:]]
        largest = [np.max(abs(rest @ signs) / np.sqrt((rest**2).sum(1))) for signs in patterns]
        floor = max(floor, float(np.mean([value >= statistic[j] - 1e-9 for value in largest])))
        adjusted[j] = floor
    return adjusted


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_max_t_is_its_definition(seed: int) -> None:
    matrix = np.random.default_rng(seed).integers(-3, 4, (4, 7)) / 3 + 1 / 9
    assert max_t(matrix) == pytest.approx(brute_force_max_t(matrix))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([6, 30]))
def test_max_t_never_helps_and_one_comparison_is_the_plain_test(seed: int, tasks: int) -> None:
    matrix = np.random.default_rng(seed).normal(0.2, 1, (3, tasks))
    adjusted = max_t(matrix, flips=300)
    raw = [sign_flip_test(row, flips=300) for row in matrix]
    assert (adjusted >= np.array(raw) - 1e-12).all()
    assert max_t(matrix[:1], flips=300) == pytest.approx(raw[:1])


def test_copies_of_one_comparison_cost_nothing_under_max_t_but_do_under_holm() -> None:
    row = np.array([1, 1, 1, -1, 1, 1, 1, 1, 1.0])
    alone = sign_flip_test(row)
    assert max_t([row] * 5) == pytest.approx([alone] * 5)
    assert holm([alone] * 5) == pytest.approx([5 * alone] * 5)


def test_a_method_without_any_difference_has_p_one() -> None:
    assert max_t([[0.0, 0, 0, 0], [1, 1, 1, 1]]) == pytest.approx([1, 0.125])


def test_an_absent_task_entered_as_zero_is_ignored() -> None:
    baseline = {"a": [False], "b": [False], "c": [False], "d": [True]}
    fuller = {"a": [True], "b": [True], "c": [True], "d": [True]}
    partial = {"a": [True], "b": [True]}
    matrix = difference_matrix(baseline, [fuller, partial])
    assert matrix.tolist() == [[1, 1, 1, 0], [1, 1, 0, 0]]
    assert max_t(matrix[1:]) == pytest.approx([sign_flip_test([1, 1])])


def test_a_flat_list_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(comparisons, tasks\)"):
        max_t([0.1, 0.2])


def test_family_wise_error_with_a_shared_baseline() -> None:
    """Five methods no better than the baseline that all are compared with; tasks of every difficulty, two trials."""
    rng = np.random.default_rng(99)
    runs, methods, tasks = 300, 5, 40
    naive = holm_wrong = max_t_wrong = 0
    for run in range(runs):
        difficulty = rng.random(tasks)
        means = rng.binomial(2, difficulty, (methods + 1, tasks)) / 2
        matrix = means[1:] - means[0]
        raw = [sign_flip_test(row, seed=run, flips=199) for row in matrix]
        naive += min(raw) <= 0.05
        holm_wrong += holm(raw).min() <= 0.05
        max_t_wrong += max_t(matrix, seed=run, flips=199).min() <= 0.05
    assert naive / runs > 0.1
    assert holm_wrong / runs <= 0.075
    assert 0.015 <= max_t_wrong / runs <= 0.075
