"""Every reward by hand, and the properties that the papers state."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman_plugins.trainers.rewards.call_skip import call_skip_utility, effects
from cornerman_plugins.trainers.rewards.gain import (
    linear_gain,
    log_gain,
    positive_gain,
    success_or_gain,
    transition,
)
from cornerman_plugins.trainers.rewards.judged import form, judge, outcome_form
from cornerman_plugins.trainers.rewards.outcome import outcome, signed_success
from cornerman_plugins.trainers.rewards.verdicts import (
    gated_outcome,
    refine_verdict,
    score_verdict,
    step_verdicts,
    verdict_match,
)

UNIT = st.floats(0, 1, allow_subnormal=False)
NAN = math.nan


def array(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, np.float64)


def test_the_outcome_is_the_score() -> None:
    assert outcome(array(0, 0.25, 1)).tolist() == [0, 0.25, 1]
    assert signed_success(np.array([True, False])).tolist() == [1, -1]


def test_gains_by_hand() -> None:
    before, score = array(0.2, 0.8, 0.8), array(0.4, 1.0, 0.5)
    assert linear_gain(before, score) == pytest.approx([0.2, 0.2, -0.3])
    assert positive_gain(before, score) == pytest.approx([0.2, 0.2, 0])
    # η = 0.1: ln(0.9/0.7), ln(0.3/0.1), ln(0.3/0.6)
    assert log_gain(before, score, eta=0.1) == pytest.approx([0.251314, 1.098612, -0.693147], abs=1e-6)


@given(UNIT, UNIT, UNIT, st.floats(0.01, 1))
def test_echos_gain_adds_up_along_a_path_and_charges_what_it_would_pay(
    a: float, b: float, c: float, eta: float
) -> None:
    def gain(x: float, y: float) -> float:
        return float(log_gain(array(x), array(y), eta=eta)[0])

    assert gain(a, b) + gain(b, c) == pytest.approx(gain(a, c), abs=1e-9)
    assert gain(a, b) == pytest.approx(-gain(b, a), abs=1e-12)
    assert (gain(a, b) > 0) == (b > a) or math.isclose(a, b, abs_tol=1e-15)


@given(st.floats(0.01, 0.4), st.floats(0, 0.2), st.floats(0.01, 0.39))
def test_the_same_step_earns_more_the_higher_it_begins(step: float, low: float, more: float) -> None:
    low_gain, high_gain = log_gain(array(low, low + more), array(low + step, low + more + step))
    assert high_gain > low_gain


def test_binary_scores_make_echos_gain_a_multiple_of_the_linear_one() -> None:
    before, score = array(0, 0, 1, 1), array(0, 1, 0, 1)
    factor = math.log(1.1 / 0.1)  # ln[(1 + η)/η]
    assert log_gain(before, score, eta=0.1) == pytest.approx(factor * linear_gain(before, score))


def test_a_headroom_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="eta is above 0"):
        log_gain(array(0), array(1), eta=0)


def test_a_solved_revision_earns_one_however_little_it_gained() -> None:
    before, score, success = array(0.9, 0.5, 0.5), array(1.0, 0.7, 0.1), np.array([True, False, False])
    assert success_or_gain(before, score, success) == pytest.approx([1.0, 0.2, -0.4])


def test_transitions_by_hand() -> None:
    truth, success = array(-1, 1, 1, -1), np.array([True, True, False, False])
    assert transition(truth, success).tolist() == [1.0, 0.2, 0.0, 0.0]


def test_call_skip_utility_by_hand() -> None:
    # Group 0: asked 1, 0 (mean 1/2), not asked 0, 0 (mean 0): û = 1/2.
    # Group 1: all asked, so the batch's: asked (1 + 0 + 1)/3 = 2/3, not asked 0: û = 2/3.
    score, group, calls = array(1, 0, 0, 0, 1), np.array([0, 0, 0, 0, 1]), np.array([1, 3, 0, 0, 2])
    assert effects(score, group, calls) == pytest.approx([0.5, 0.5, 0.5, 0.5, 2 / 3])
    # r + 0.5 û for those who asked, less 0.05 for each request after the first
    expected = [1 + 0.25, 0 + 0.25 - 0.1, 0, 0, 1 + 1 / 3 - 0.05]
    assert call_skip_utility(score, group, calls) == pytest.approx(expected)


def test_where_nobody_asked_or_everybody_did_asking_has_no_effect() -> None:
    score, group = array(1, 0, 1), np.array([0, 0, 1])
    assert call_skip_utility(score, group, np.array([0, 0, 0])).tolist() == [1, 0, 1]
    assert call_skip_utility(score, group, np.array([1, 1, 1])).tolist() == [1, 0, 1]


def test_verdicts_by_hand() -> None:
    verdict, truth = array(1, -1, 1, NAN), array(1, -1, -1, 1)
    assert verdict_match(verdict, truth).tolist() == [1, 1, 0, 0]
    assert verdict_match(verdict, truth, miss=-1).tolist() == [1, 1, -1, -1]
    # stage II: the score after, and a fifth of the verdict
    assert refine_verdict(array(1, 0, 1, 0), verdict, truth).tolist() == [1.2, 0.2, 1.0, 0.0]
    assert gated_outcome(array(0.5, 0.5, 1, 1), verdict).tolist() == [0.5, 0.5, 1, 0]


def test_rlanythings_rewards_by_hand() -> None:
    # one solved attempt, verdicts (1, 1, −1) and (−1, −1, −1) on its turns; one failed with (1, 1, 1) on its only one
    success, sample, mean = np.array([True, False]), np.array([0, 0, 1]), array(1 / 3, -1, 1)
    assert step_verdicts(success, sample, mean) == pytest.approx([4 / 3, 0, 0])
    assert step_verdicts(success, sample, mean, weight=0.5) == pytest.approx([7 / 6, 0.5, -0.5])
    # the evaluations of the first turn, rewarded by R = 1 + 1/3 times what each said
    verdict = array(1, 1, -1)
    earned = score_verdict(np.array([True] * 3), verdict, np.array([0, 0, 0]))
    assert earned == pytest.approx([4 / 3, 4 / 3, -4 / 3])


def test_an_unreadable_evaluation_earns_nothing() -> None:
    earned = score_verdict(np.array([True, True]), array(1, NAN), np.array([5, 5]))
    assert earned == pytest.approx([1.5, 0])  # mean of 1 and 0 is 1/2


def test_a_judges_score_and_the_form() -> None:
    assert judge(array(7, NAN, 10)).tolist() == [7, 0, 10]
    assert form(array(1, 0.5)).tolist() == [1, 0.5]
    assert outcome_form(array(1, 0), array(0.5, 1)) == pytest.approx([1.05, 0.1])
