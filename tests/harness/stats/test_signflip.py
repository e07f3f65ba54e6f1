"""The paired sign-flip test: exactness, its Monte-Carlo form, and its level when effects vary between tasks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cornerman.stats import PairedTable, mcnemar_exact, sign_flip_test, signflip

thirds = st.integers(-3, 3).map(lambda k: k / 3)


def test_fishers_darwin_example() -> None:
    # Fisher 1935, The Design of Experiments, section 21: Darwin's 15 pairs of maize plants, in eighths of an inch.
    # 863 of the 2^15 sign patterns give a total as large as the observed 314 and 863 one as small: p = 1726 / 32768.
    darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert sign_flip_test(darwin) == 1726 / 32768


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
def test_enumeration_agrees_with_scipy(differences: list[int]) -> None:
    reference = stats.permutation_test(
        (np.array(differences),),
        np.sum,  # of whole numbers, so that scipy sees equal sums as equal
        permutation_type="samples",
        n_resamples=np.inf,
        rng=np.random.default_rng(0),
    )
    assert sign_flip_test(differences) == pytest.approx(min(1.0, reference.pvalue))


@settings(deadline=None)
@given(st.lists(thirds, min_size=1, max_size=25))
def test_p_is_a_probability_unmoved_by_sign_and_by_zeros(differences: list[float]) -> None:
    p = sign_flip_test(differences, flips=200)
    assert 0 < p <= 1
    assert sign_flip_test([-d for d in differences], flips=200) == p
    assert sign_flip_test([0.0, *differences, 0.0], flips=200) == p


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_equal_sums_are_ties_though_thirds_are_not_exact(numerators: list[int]) -> None:
    assert sign_flip_test([k / 3 for k in numerators]) == sign_flip_test(numerators)


def test_nothing_differs() -> None:
    assert sign_flip_test([0.0, 0.0]) == 1.0


def test_monte_carlo_comes_near_the_exact_value_and_never_reaches_zero() -> None:
    differences = [1] * 16 + [-1] * 6
    exact = mcnemar_exact(PairedTable(0, 16, 6, 0))
    assert sign_flip_test(differences, seed=3, flips=40_000) == pytest.approx(exact, abs=4 * np.sqrt(exact / 40_000))
    assert sign_flip_test([1.0] * 40, flips=99) == 1 / 100


def test_the_seed_decides_and_global_generators_are_left_alone() -> None:
    differences = np.random.default_rng(1).normal(0.1, 0.3, 60)
    np.random.seed(5)
    state = np.random.get_state()[1].copy()
    first = sign_flip_test(differences, seed=11, flips=500)
    assert sign_flip_test(differences, seed=11, flips=500) == first
    assert sign_flip_test(differences, seed=np.random.default_rng(11), flips=500) == first
    assert (np.random.get_state()[1] == state).all()


@pytest.mark.parametrize("bad", [[], [0.1, float("nan")], [[0.1], [0.2]]])
def test_arrays_that_are_not_one_number_per_task_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="one per task"):
        sign_flip_test(bad)


def test_level_and_power_when_effects_vary_between_tasks() -> None:
    """Half of the tasks gain and half lose, so that the method is worth nothing on average.

    Taking every (task, trial) pair for an independent one rejects far too often; taking the task as the unit does not.
    """
    rng = np.random.default_rng(2024)
    runs, tasks, trials = 800, 24, 8
    base = rng.uniform(0.3, 0.7, (runs, tasks, 1))
    effect = rng.choice([-0.3, 0.3], (runs, tasks, 1))

    def rejections(shift: float) -> tuple[float, float]:
        before = rng.random((runs, tasks, trials)) < base
        after = rng.random((runs, tasks, trials)) < base + effect + shift
        by_task = [
            sign_flip_test(a.mean(1) - b.mean(1), seed=i, flips=499)
            for i, (b, a) in enumerate(zip(before, after, strict=True))
        ]
        by_pair = [
            mcnemar_exact(PairedTable(0, int((~b & a).sum()), int((b & ~a).sum()), 0))
            for b, a in zip(before, after, strict=True)
        ]
        return float(np.mean(np.array(by_task) <= 0.05)), float(np.mean(np.array(by_pair) <= 0.05))

    by_task, by_pair = rejections(0.0)
    assert 0.03 <= by_task <= 0.07
    assert by_pair > 0.15
    assert rejections(0.25)[0] > 0.7


def test_many_equal_differences_are_flipped_together_with_the_same_chance() -> None:
    """Against the normal approximation, which is close for 2,000 tasks, and against flipping one by one."""
    rng = np.random.default_rng(3)
    differences = rng.choice([-1.0, -0.5, 0.5, 1.0], 2000, p=[0.2, 0.28, 0.3, 0.22])
    z = differences.sum() / np.sqrt(np.sum(differences**2))
    p = sign_flip_test(differences, flips=40_000)
    assert p == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.01)
    apart = differences + rng.normal(0, 1e-7, 2000)  # no two are equal
    assert sign_flip_test(apart, flips=4000) == pytest.approx(p, abs=0.03)


@pytest.mark.parametrize("coins", [1, 63, 64, 65, 200])
def test_heads_are_binomial(coins: int) -> None:
    found = signflip.heads(np.array([coins, 3]), 20_000, np.random.default_rng(coins))
    assert found.shape == (20_000, 2)
    assert found[:, 0].min() >= 0
    assert found[:, 0].max() <= coins
    assert found.mean(axis=0) == pytest.approx([coins / 2, 1.5], abs=4 * np.sqrt(coins / 4 / 20_000) + 0.01)
    assert found.var(axis=0) == pytest.approx([coins / 4, 0.75], rel=0.05)
    assert abs(np.corrcoef(found.T)[0, 1]) < 0.03
