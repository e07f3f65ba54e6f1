"""Success against budget, its area, and what a unit of cost buys."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornerman.stats import budget_curve, estimate_rate, successes_per

episode = st.tuples(st.booleans(), st.integers(0, 50).map(float))
panels = st.dictionaries(st.integers(0, 9).map(str), st.lists(episode, min_size=1, max_size=4), min_size=1)
OUTCOMES = {"a": [True, False], "b": [True, True], "c": [False, False]}
COSTS = {"a": [10.0, 99.0], "b": [10.0, 30.0], "c": [5.0, 5.0]}


def split(panel: dict[str, list[tuple[bool, float]]]) -> tuple[dict[str, list[bool]], dict[str, list[float]]]:
    return (
        {task: [success for success, _ in episodes] for task, episodes in panel.items()},
        {task: [cost for _, cost in episodes] for task, episodes in panel.items()},
    )


def test_the_curve_steps_at_the_costs_of_successes() -> None:
    curve = budget_curve(OUTCOMES, COSTS)
    assert curve.budgets == (10.0, 30.0)
    assert curve.rates == pytest.approx((2 / 6, 3 / 6))
    assert [curve.at(b) for b in (9.9, 10, 29.9, 30, 1e9)] == pytest.approx([0, 2 / 6, 2 / 6, 3 / 6, 3 / 6])


def test_the_area_by_hand() -> None:
    # up to 40: nothing for 10, then 1/3 for 20, then 1/2 for 10
    assert budget_curve(OUTCOMES, COSTS).area(40) == pytest.approx((20 / 3 + 10 / 2) / 40)
    assert budget_curve(OUTCOMES, COSTS).area(8) == 0


@settings(deadline=None)
@given(panels, st.floats(1, 80))
def test_the_area_is_the_mean_share_of_the_budget_left_at_success(
    panel: dict[str, list[tuple[bool, float]]], limit: float
) -> None:
    by_task = [np.mean([success * max(0, 1 - cost / limit) for success, cost in task]) for task in panel.values()]
    assert budget_curve(*split(panel)).area(limit) == pytest.approx(np.mean(by_task), abs=1e-9)


@settings(deadline=None)
@given(panels)
def test_the_curve_rises_to_the_success_rate(panel: dict[str, list[tuple[bool, float]]]) -> None:
    outcomes, costs = split(panel)
    curve = budget_curve(outcomes, costs)
    assert list(curve.rates) == sorted(curve.rates)
    assert curve.at(1e9) == pytest.approx(estimate_rate(outcomes).value)
    assert curve.at(-1) == 0


def test_successes_per_unit_count_the_costs_of_failures() -> None:
    assert successes_per(OUTCOMES, COSTS, unit=1) == pytest.approx(3 / 159)
    assert successes_per(OUTCOMES, COSTS, unit=1e6) == pytest.approx(3e6 / 159)


def test_nothing_spent_has_no_price() -> None:
    assert successes_per({"a": [True]}, {"a": [0.0]}, unit=1) is None


def test_costs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="task 'a' has 2 outcomes and 1 costs"):
        budget_curve({"a": [True, False]}, {"a": [1.0]})
    with pytest.raises(ValueError, match="task 'a' has 1 outcomes and 0 costs"):
        successes_per({"a": [True]}, {}, unit=1)
    with pytest.raises(ValueError, match="negative or not finite"):
        budget_curve({"a": [True]}, {"a": [-1.0]})
    with pytest.raises(ValueError, match="largest budget must be positive"):
        budget_curve(OUTCOMES, COSTS).area(0)
