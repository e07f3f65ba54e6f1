"""The numbers of a static set, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from cornerman.staticset.ranking import Scored, auc, brier, curve
from cornerman.staticset.rates import Estimate, Judged, accuracy, f1, mcc, precision, rate, recall
from cornerman.stats import wilson_interval

# 3 errors found, 1 false alarm, 2 errors missed, 4 right ones let pass, over three tasks
CELLS = [("a", True, True)] * 2 + [("b", True, True), ("b", False, True), ("c", True, False), ("a", True, False)]
JUDGED = [Judged(*cell) for cell in [*CELLS, *[("c", False, False)] * 3, ("a", False, False)]]


def test_verdicts_by_hand() -> None:
    assert accuracy(JUDGED).value == pytest.approx(7 / 10)
    assert precision(JUDGED).value == pytest.approx(3 / 4)
    assert recall(JUDGED).value == pytest.approx(3 / 5)
    assert f1(JUDGED).value == pytest.approx(6 / 9)
    assert mcc(JUDGED).value == pytest.approx((3 * 4 - 1 * 2) / math.sqrt(4 * 5 * 5 * 6))
    assert [accuracy(JUDGED).of, precision(JUDGED).of, recall(JUDGED).of, f1(JUDGED).of] == [10, 4, 5, 10]


def test_intervals_hold_the_number_and_where_tasks_agree_claim_no_certainty() -> None:
    for found in (accuracy(JUDGED), recall(JUDGED), f1(JUDGED)):
        assert found.ci is not None
        assert found.value is not None
        assert found.ci[0] <= found.value <= found.ci[1]
        assert found.ci[0] < found.ci[1]
    same = rate([(task, 1.0) for task in "abcde" for _ in range(4)])
    assert same.ci == pytest.approx(wilson_interval(5, 5))
    perfect = [Judged(task, wrong, wrong) for task in "abc" for wrong in (True, False)]
    assert mcc(perfect) == Estimate(value=1.0, of=6)


def test_nothing_is_known_from_nothing() -> None:
    assert accuracy([]) == precision([]) == f1([]) == mcc([]) == auc([]) == brier([]) == Estimate()
    assert curve([], 1.0) == []
    one_sided = [Judged("a", True, True), Judged("b", True, False)]
    assert mcc(one_sided).value is None
    assert auc([Scored("a", True, 0.5)]).value is None


def test_scores_by_hand() -> None:
    scored = [Scored("a", False, 0.9), Scored("b", False, 0.5), Scored("a", True, 0.5), Scored("b", True, 0.1)]
    assert auc(scored).value == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert brier(scored).value == pytest.approx((0.1**2 + 0.5**2 + 0.5**2 + 0.1**2) / 4)
    assert brier([*scored, Scored("a", True, 7.0)]) == Estimate()


def test_the_area_is_that_of_the_rank_test() -> None:
    rng = np.random.default_rng(5)
    scored = [Scored(f"t{rng.integers(9)}", bool(rng.integers(2)), float(rng.integers(6))) for _ in range(120)]
    right, wrong = ([s.score for s in scored if s.wrong is kind] for kind in (False, True))
    found = auc(scored)
    assert found.value == pytest.approx(mannwhitneyu(right, wrong).statistic / (len(right) * len(wrong)))
    assert found.ci is not None
    assert found.value is not None
    assert found.ci[0] < found.value < found.ci[1]


def test_the_curve_by_hand() -> None:
    scored = [
        Scored("a", False, 0.9, True),
        Scored("a", False, 0.4, True),
        Scored("b", True, 0.4, True),
        Scored("b", True, 0.1, False),
        Scored("b", True, 0.2, None),
    ]
    rows = curve(scored, 2.5)
    assert [r.threshold for r in rows[:-1]] == [0.1, 0.2, 0.4, 0.9]
    assert [r.sent_back for r in rows] == [0, 200, 400, 800, 1000]
    thousand_of_three = [pytest.approx(1000 * n / 3) for n in range(3)]
    assert [r.wrongly_blocked for r in rows] == [thousand_of_three[n] for n in (0, 0, 0, 1, 2)]
    assert [r.wrongly_allowed for r in rows] == [thousand_of_three[n] for n in (1, 1, 1, 0, 0)]
    assert {r.seconds for r in rows} == {2.5}
    assert curve([Scored("a", True, 0.1)], 1.0)[0].wrongly_allowed is None
