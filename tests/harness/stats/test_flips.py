"""Helped and harmed pairs, and the flips that the baseline's own trials show."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornerman.stats import Flips, aa_flip_rate, count_flips

trials = st.lists(st.booleans(), min_size=2, max_size=6)
outcomes = st.dictionaries(st.sampled_from("abcdefgh"), trials, min_size=1)


def test_pairs_are_counted_over_shared_tasks_and_trials() -> None:
    baseline = {"a": [True, False, False], "b": [False, False], "only-baseline": [True]}
    method = {"a": [False, True], "b": [True, False], "only-method": [True]}
    assert count_flips(baseline, method) == Flips(helped=2, harmed=1, pairs=4)
    assert count_flips(baseline, method).rate == 0.75


@settings(deadline=None)
@given(outcomes)
def test_swapping_the_methods_swaps_helped_and_harmed(method: dict[str, list[bool]]) -> None:
    baseline = {task: successes[::-1] for task, successes in method.items()}
    there, back = count_flips(baseline, method), count_flips(method, baseline)
    assert (there.helped, there.harmed, there.pairs) == (back.harmed, back.helped, back.pairs)


@settings(deadline=None)
@given(outcomes)
def test_the_aa_rate_is_the_share_of_disagreeing_pairs_of_trials(recorded: dict[str, list[bool]]) -> None:
    by_task = [np.mean([x != y for x, y in combinations(successes, 2)]) for successes in recorded.values()]
    assert aa_flip_rate(recorded) == pytest.approx(np.mean(by_task))


def test_tasks_with_one_trial_say_nothing_about_aa() -> None:
    assert aa_flip_rate({"a": [True], "b": [False]}) is None
    assert aa_flip_rate({"a": [True], "b": [False, True]}) == 1.0


def test_a_method_without_effect_flips_as_often_as_the_baseline_does() -> None:
    rng = np.random.default_rng(12)
    chances = rng.random(3000)
    baseline = {str(i): (rng.random(3) < p).tolist() for i, p in enumerate(chances)}
    same = {str(i): (rng.random(3) < p).tolist() for i, p in enumerate(chances)}
    flips = count_flips(baseline, same)
    assert flips.rate == pytest.approx(aa_flip_rate(baseline), abs=0.02)
    assert flips.helped == pytest.approx(flips.harmed, rel=0.1)
