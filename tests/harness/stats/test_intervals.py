"""Wilson's interval and Newcombe's square-and-add against published figures, scipy and statsmodels."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from cornerman.stats import square_and_add, wilson_interval

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
confidences = st.sampled_from([0.8, 0.9, 0.95, 0.99])


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe 1998, "Two-sided confidence intervals for the single proportion", Stat. Med. 17:857-872, table I.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_wilson_intervals(successes: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-5)


@settings(deadline=None)
@given(counts, confidences)
def test_wilson_agrees_with_scipy_and_statsmodels(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    ours = wilson_interval(successes, n, confidence)
    scipy_ci = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert ours == pytest.approx((scipy_ci.low, scipy_ci.high), abs=1e-12)
    assert ours == pytest.approx(proportion_confint(successes, n, 1 - confidence, method="wilson"), abs=1e-12)


@settings(deadline=None)
@given(counts, confidences)
def test_wilson_holds_the_rate_and_mirrors(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    low, high = wilson_interval(successes, n, confidence)
    assert 0 <= low <= successes / n <= high <= 1
    assert wilson_interval(n - successes, n, confidence) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@settings(deadline=None)
@given(counts)
def test_wilson_narrows_with_tasks_and_widens_with_confidence(count: tuple[int, int]) -> None:
    successes, n = count
    low, high = wilson_interval(successes, n)
    more_low, more_high = wilson_interval(4 * successes, 4 * n)
    sure_low, sure_high = wilson_interval(successes, n, 0.99)
    assert more_high - more_low < high - low < sure_high - sure_low


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 200), st.floats(-1, 1))
def test_square_and_add_holds_the_difference_and_mirrors(p: float, q: float, n: int, r: float) -> None:
    low, high = square_and_add(p, q, n, r)
    assert -1 <= low <= p - q + 1e-12
    assert p - q - 1e-12 <= high <= 1
    assert square_and_add(q, p, n, r) == pytest.approx((-high, -low), abs=1e-9)


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 200))
def test_a_positive_correlation_narrows_the_difference(p: float, q: float, n: int) -> None:
    low, high = square_and_add(p, q, n)
    tied_low, tied_high = square_and_add(p, q, n, 0.5)
    assert low - 1e-12 <= tied_low <= tied_high <= high + 1e-12


@pytest.mark.parametrize(("successes", "n"), [(-1, 10), (11, 10), (0, 0)])
def test_impossible_counts_are_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} successes of {n}"):
        wilson_interval(successes, n)


def test_a_confidence_in_percent_is_refused() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, not 95; 0\.95 is usual"):
        wilson_interval(5, 10, 95)
