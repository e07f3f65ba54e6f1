"""The study of error rates, small: the share of errors is near 5 % and not beyond it; the page shows the whole one."""

from __future__ import annotations

from scipy.stats import binom

from tests.docs.pages import read
from tests.studies.error_rates import BEGIN, CELLS, END, errors

SIMULATIONS = 150


def test_tests_err_no_more_often_than_they_say() -> None:
    single, _, family, joint = errors(12, 3, SIMULATIONS) * SIMULATIONS
    most = binom.ppf(0.9999, SIMULATIONS, 0.05)
    assert max(single, family, joint) <= most
    assert single >= 1  # a test that never errs shows nothing


def test_the_page_shows_every_cell() -> None:
    shown = read("statistics.md").partition(BEGIN)[2].partition(END)[0]
    assert [f"| {tasks} × {trials} |" in shown for tasks, trials in CELLS] == [True] * len(CELLS)
