"""A method against its baseline: the right test, honest edges, and trials that are copies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornerman.stats import (
    PairedTable,
    compare,
    mcnemar_exact,
    newcombe_interval,
    repeats_itself,
    sign_flip_test,
    square_and_add,
)

Recorded = dict[str, list[bool]]
three_trials = st.lists(st.booleans(), min_size=3, max_size=3)
panels = st.dictionaries(st.integers(0, 20).map(str), st.tuples(three_trials, three_trials), min_size=1, max_size=12)


def random_outcomes(seed: int, tasks: int, trials: int) -> Recorded:
    rng = np.random.default_rng(seed)
    return {f"task-{i}": (rng.random(trials) < rng.random()).tolist() for i in range(tasks)}


def test_one_trial_is_mcnemar_with_newcombes_interval() -> None:
    baseline = {str(i): [i < 9] for i in range(20)}
    method = {str(i): [i >= 2 and i < 18] for i in range(20)}
    result = compare(baseline, method)
    table = PairedTable(both=7, helped=9, harmed=2, neither=2)
    assert result.test == "mcnemar"
    assert result.p == mcnemar_exact(table)
    assert result.ci == newcombe_interval(table)
    assert result.difference == pytest.approx(7 / 20)
    assert (result.tasks, result.pairs, result.helped, result.harmed) == (20, 20, 9, 2)
    assert result.aa_flip_rate is None


def test_several_trials_compare_task_means() -> None:
    baseline, method = random_outcomes(1, 14, 3), random_outcomes(2, 14, 3)
    result = compare(baseline, method)
    differences = [np.mean(method[task]) - np.mean(baseline[task]) for task in baseline]
    assert result.test == "sign flip"
    assert result.p == sign_flip_test(differences)
    assert result.difference == pytest.approx(np.mean(differences))
    assert result.ci[0] < result.difference < result.ci[1]
    assert (result.tasks, result.pairs) == (14, 42)
    assert result.helped - result.harmed == pytest.approx(42 * result.difference)
    assert 0 < (result.aa_flip_rate or 0) < 1


@settings(deadline=None, max_examples=40)
@given(panels)
def test_swapping_mirrors_and_the_order_of_tasks_is_nothing(
    panel: dict[str, tuple[list[bool], list[bool]]],
) -> None:
    baseline = {task: arms[0] for task, arms in panel.items()}
    method = {task: arms[1] for task, arms in panel.items()}
    there, back = compare(baseline, method), compare(method, baseline)
    assert there.difference == pytest.approx(-back.difference)
    assert there.ci == pytest.approx((-back.ci[1], -back.ci[0]), abs=1e-9)
    assert there.p == back.p
    assert (there.helped, there.harmed, there.test) == (back.harmed, back.helped, back.test)
    low, high = there.ci
    assert -1 <= low <= there.difference + 1e-9
    assert there.difference - 1e-9 <= high <= 1
    assert low < high
    assert compare(dict(reversed(baseline.items())), method) == there


def test_only_shared_tasks_are_paired() -> None:
    baseline = {"a": [True], "b": [False], "c": [False], "gone": [True]}
    method = {"a": [True], "b": [True], "c": [True], "new": [False]}
    assert compare(baseline, method) == compare({t: baseline[t] for t in "abc"}, {t: method[t] for t in "abc"})
    with pytest.raises(ValueError, match="share no task"):
        compare({"a": [True]}, {"b": [True]})


def test_equal_differences_claim_no_certainty() -> None:
    baseline = {str(i): [True, False, False] for i in range(10)}
    method = {str(i): [True, True, False] for i in range(10)}
    result = compare(baseline, method)
    assert result.test == "sign flip"
    assert result.p == 2 / 2**10
    assert result.ci == pytest.approx(square_and_add(2 / 3, 1 / 3, 10))


def test_uneven_trials_use_all_trials_of_each_mean() -> None:
    result = compare({"a": [True, False, False, False], "b": [False]}, {"a": [True, True], "b": [True]})
    assert result.difference == pytest.approx((0.75 + 1) / 2)
    assert result.pairs == 3


def test_identical_trials_count_once() -> None:
    baseline = {"a": [True] * 3, "b": [False] * 3, "c": [False] * 3}
    method = {"a": [True] * 3, "b": [True] * 3, "c": [False] * 3}
    once = compare(baseline, method, once=True)
    unknown = compare(baseline, method)
    assert (once.pairs, once.helped, unknown.pairs, unknown.helped) == (3, 1, 9, 3)
    assert (once.p, once.ci, once.test) == (unknown.p, unknown.ci, "mcnemar")
    assert once.aa_flip_rate == 0.0


def test_one_differing_trial_is_no_repetition() -> None:
    outcomes = {"a": [True, True, True], "b": [False, False, False]}
    copies = {"a": ["x"] * 3, "b": ["y"] * 3}
    assert repeats_itself(outcomes, copies)
    assert not repeats_itself(outcomes, {**copies, "b": ["y", "z", "y"]})


def test_the_same_words_with_another_outcome_are_no_copy() -> None:
    assert not repeats_itself({"a": [True, False]}, {"a": ["x", "x"]})


def test_transcripts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="task 'a' has 2 outcomes and 1 transcript digests"):
        repeats_itself({"a": [True, True]}, {"a": ["x"]})


def test_a_method_that_is_the_baseline_again_is_seldom_called_different() -> None:
    rng = np.random.default_rng(31)
    found, covered, runs = 0, 0, 300
    for _ in range(runs):
        chances = rng.beta(0.7, 0.7, 18)
        arms = [{str(i): (rng.random(4) < p).tolist() for i, p in enumerate(chances)} for _ in range(2)]
        result = compare(*arms)
        found += result.p <= 0.05
        covered += result.ci[0] <= 0 <= result.ci[1]
    assert found / runs <= 0.08
    assert covered / runs >= 0.92


@pytest.mark.parametrize(("solved", "tasks"), [(20, 40), (7, 40), (0, 12)])
def test_arms_that_agree_on_every_task_get_newcombes_interval(solved: int, tasks: int) -> None:
    """With two trials that differ from each other, as with one: the same correlation, and never an empty interval."""
    once = {f"t{i:02}": [i < solved] for i in range(tasks)}
    twice = {task: [won[0], won[0]] for task, won in once.items()} | ({"t39": [False, True]} if solved == 7 else {})
    result = compare(twice, twice)
    assert result.difference == 0
    low, high = result.ci
    assert low < 0 < high
    if solved == 20:
        assert result.ci == compare(once, once).ci == pytest.approx((-0.047, 0.047), abs=0.002)
    if solved == 7:
        assert -0.1 < low < high < 0.1
