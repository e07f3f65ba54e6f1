"""The fourfold table, exact McNemar and Newcombe's paired interval."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from cornerman.stats import PairedTable, mcnemar_exact, newcombe_interval, paired_table, sign_flip_test

cells = st.integers(0, 60)
tables = st.builds(PairedTable, cells, cells, cells, cells).filter(lambda table: table.n > 0)


def mirrored(table: PairedTable) -> PairedTable:
    return PairedTable(table.both, table.harmed, table.helped, table.neither)


def test_the_table_counts_who_succeeded_where() -> None:
    baseline = [True, True, False, False, False, True]
    method = [True, False, True, True, False, True]
    table = paired_table(baseline, method)
    assert table == PairedTable(both=2, helped=2, harmed=1, neither=1)
    assert table.difference == pytest.approx(1 / 6)


def test_arrays_of_different_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match="can not be paired"):
        paired_table([True, False], [True])


def test_published_exact_mcnemar() -> None:
    # Armitage and Berry 1994, Statistical Methods in Medical Research, p. 127: two culture media, P = 0.0129.
    assert mcnemar_exact(PairedTable(20, 12, 2, 16)) == pytest.approx(0.0129, abs=5e-5)


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Fagerland, Lydersen and Laake 2017, Statistical Analysis of Contingency Tables, chapter 8: complete response
        # after consolidation therapy (Cavo et al. 2012), Newcombe square-and-add.
        (PairedTable(59, 6, 16, 80), -0.1186, -0.0046),
        # The same authors 2014, Stat. Med. 33:2850-2875: airway hyper-responsiveness (Bentur et al. 2009).
        (PairedTable(1, 1, 7, 12), -0.507, -0.026),
    ],
)
def test_published_newcombe_intervals(table: PairedTable, low: float, high: float) -> None:
    assert newcombe_interval(table) == pytest.approx((low, high), abs=5e-4)


@settings(deadline=None)
@given(tables)
def test_mcnemar_agrees_with_statsmodels_and_is_symmetric(table: PairedTable) -> None:
    reference = mcnemar([[table.both, table.harmed], [table.helped, table.neither]], exact=True)
    assert mcnemar_exact(table) == pytest.approx(reference.pvalue, abs=1e-12)
    assert mcnemar_exact(mirrored(table)) == mcnemar_exact(table)


@settings(deadline=None)
@given(st.integers(0, 8), st.integers(0, 8))
def test_mcnemar_is_the_sign_flip_test_on_yes_or_no_tasks(helped: int, harmed: int) -> None:
    differences = [1] * helped + [-1] * harmed + [0] * 5
    assert sign_flip_test(differences) == pytest.approx(mcnemar_exact(PairedTable(3, helped, harmed, 2)))


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(1, 40))
def test_more_one_sided_flips_mean_a_smaller_p(helped: int, harmed: int) -> None:
    one_sided = [mcnemar_exact(PairedTable(0, 0, n, 0)) for n in (harmed, harmed + 1)]
    assert one_sided[1] < one_sided[0] or one_sided == [1.0, 0.5]
    assert 0 < mcnemar_exact(PairedTable(0, helped, harmed, 0)) <= 1


@settings(deadline=None)
@given(tables)
def test_newcombe_holds_the_difference_within_bounds_and_mirrors(table: PairedTable) -> None:
    low, high = newcombe_interval(table)
    assert -1 <= low <= table.difference + 1e-12
    assert table.difference - 1e-12 <= high <= 1
    assert newcombe_interval(mirrored(table)) == pytest.approx((-high, -low), abs=1e-9)


def test_newcombe_claims_no_certainty_where_nothing_flipped() -> None:
    low, high = newcombe_interval(PairedTable(12, 0, 0, 0))
    assert low < -0.2
    assert high > 0.2


@pytest.mark.parametrize("difference", [0.0, 0.15])
def test_newcombe_covers_the_true_difference(difference: float) -> None:
    rng = np.random.default_rng(7)
    cells = np.array([0.45, 0.10 + difference, 0.10, 0.35 - difference])
    draws = rng.multinomial(40, cells, size=1500)
    intervals = [newcombe_interval(PairedTable(*map(int, draw))) for draw in draws]
    covered = np.mean([low <= difference <= high for low, high in intervals])
    assert 0.93 <= covered <= 0.98
