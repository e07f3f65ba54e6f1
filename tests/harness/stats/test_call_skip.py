"""The call–skip effect, on numbers that can be counted on one's fingers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman.stats import CallSkip, Play, call_skip, call_skip_effects


def plays(*pairs: tuple[float, int]) -> list[Play]:
    return [Play(reward, bool(called)) for reward, called in pairs]


def test_a_task_with_both_kinds_has_its_own_effect_and_others_the_pooled_one() -> None:
    tasks = {
        "both": plays((1.0, 1), (0.0, 1), (0.0, 0)),  # 0.5 - 0
        "called": plays((1.0, 1)),
        "skipped": plays((1.0, 0), (0.0, 0)),
    }
    pooled = 2 / 3 - 1 / 3
    assert call_skip_effects(tasks) == pytest.approx({"both": 0.5, "called": pooled, "skipped": pooled})


def test_a_batch_of_one_kind_has_no_effect() -> None:
    for called in (0, 1):
        assert call_skip_effects({"a": plays((1.0, called)), "b": plays((0.0, called))}) == {"a": 0.0, "b": 0.0}
    assert call_skip_effects({}) == {}


def test_hard_tasks_that_are_asked_about_lower_the_pooled_effect_and_not_the_one_within() -> None:
    hard = plays((0.2, 1), (0.2, 1), (0.2, 1), (0.0, 0))
    easy = plays((1.0, 1), (0.8, 0), (0.8, 0), (0.8, 0))
    found = call_skip({"hard": hard, "easy": easy})
    assert (found.called, found.skipped, found.tasks) == (4, 4, 2)
    assert found.pooled == pytest.approx(0.4 - 0.6)
    assert found.within == pytest.approx(0.2)
    assert (found.reward_called, found.reward_skipped) == pytest.approx((0.4, 0.6))


def test_where_a_side_is_missing_there_is_no_difference() -> None:
    assert call_skip({"a": plays((1.0, 1))}) == CallSkip(1, 0, 1.0, None, None, 0, None)
    assert call_skip({}) == CallSkip(0, 0, None, None, None, 0, None)


@given(st.lists(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), max_size=5), max_size=5))
def test_effects_stay_between_minus_one_and_one(batch: list[list[tuple[float, int]]]) -> None:
    tasks = {str(i): plays(*pairs) for i, pairs in enumerate(batch)}
    assert all(-1 <= e <= 1 for e in call_skip_effects(tasks).values())
    found = call_skip(tasks)
    assert found.called + found.skipped == sum(map(len, batch))
    assert found.within is None or -1 <= found.within <= 1
