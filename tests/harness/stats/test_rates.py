"""Which interval stands beside a rate."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornerman.stats import estimate_mean, estimate_rate, wilson_interval

outcomes = st.dictionaries(
    st.integers(0, 30).map(str), st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=20
)


def test_one_trial_has_wilsons_interval() -> None:
    estimate = estimate_rate({"a": [True], "b": [False], "c": [True]})
    assert (estimate.value, estimate.tasks, estimate.interval) == (pytest.approx(2 / 3), 3, "wilson")
    assert estimate.ci == wilson_interval(2, 3)


def test_trials_that_all_agree_weigh_as_one() -> None:
    once = {"a": [True], "b": [False], "c": [True]}
    thrice = {task: trials * 3 for task, trials in once.items()}
    assert estimate_rate(thrice) == estimate_rate(once)


def test_tasks_weigh_the_same_whatever_their_trials() -> None:
    estimate = estimate_rate({"a": [True] * 9 + [False], "b": [False, False], "c": [True, False]})
    assert estimate.value == pytest.approx((0.9 + 0 + 0.5) / 3)
    assert estimate.interval == "clustered bootstrap"


@pytest.mark.parametrize("recorded", [{"a": [True, False]}, {"a": [True, False], "b": [False, True]}])
def test_one_task_or_equal_tasks_claim_no_certainty(recorded: dict[str, list[bool]]) -> None:
    estimate = estimate_rate(recorded)
    assert estimate.ci == wilson_interval(len(recorded) / 2, len(recorded))


@settings(deadline=None, max_examples=40)
@given(outcomes)
def test_the_interval_holds_the_rate_and_the_order_of_tasks_is_nothing(recorded: dict[str, list[bool]]) -> None:
    estimate = estimate_rate(recorded)
    low, high = estimate.ci
    assert 0 <= low <= estimate.value + 1e-12
    assert estimate.value - 1e-12 <= high <= 1
    assert low < high
    assert estimate_rate(dict(reversed(recorded.items()))) == estimate


def test_no_task_no_trial_and_no_rate_are_refused() -> None:
    with pytest.raises(ValueError, match="no task to average over"):
        estimate_rate({})
    with pytest.raises(ValueError, match="task 'b' has no trial: enter a failure"):
        estimate_rate({"a": [True], "b": []})
    with pytest.raises(ValueError, match="between 0 and 1"):
        estimate_mean([0.5, 1.5])
