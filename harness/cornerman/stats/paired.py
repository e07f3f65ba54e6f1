"""Two methods on the same tasks, one outcome each: the fourfold table, its exact test and its interval."""

import math

import msgspec
import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from cornerman.stats.intervals import Interval, square_and_add


class PairedTable(msgspec.Struct, frozen=True):
    """Tasks by who succeeded: both, only the method (helped), only the baseline (harmed), neither."""

    both: int
    helped: int
    harmed: int
    neither: int

    @property
    def n(self) -> int:
        """Number of tasks."""
        return self.both + self.helped + self.harmed + self.neither

    @property
    def difference(self) -> float:
        """Success rate of the method minus that of the baseline, (helped − harmed) / n."""
        return (self.helped - self.harmed) / self.n


def paired_table(baseline: ArrayLike, method: ArrayLike) -> PairedTable:
    """Fourfold table of two arrays of booleans, shape (tasks,), in the same order of tasks.

    Raises ValueError when they differ in length or are empty.
    """
    before, after = np.asarray(baseline, dtype=bool), np.asarray(method, dtype=bool)
    if before.shape != after.shape or before.ndim != 1 or before.size == 0:
        raise ValueError(
            f"outcomes of shape {before.shape} and {after.shape} can not be paired: "
            "give two flat arrays with one outcome per task"
        )
    return PairedTable(
        both=int(np.sum(before & after)),
        helped=int(np.sum(~before & after)),
        harmed=int(np.sum(before & ~after)),
        neither=int(np.sum(~before & ~after)),
    )


def mcnemar_exact(table: PairedTable) -> float:
    """Two-sided exact p-value that the method and the baseline succeed equally often.

    Given the helped + harmed tasks on which they differ, each is helped with probability 1/2 under the null, so
    p = min(1, 2 P(X ≤ min(helped, harmed))) with X binomial; 1 when they never differ.

    Source: McNemar 1947, "Note on the sampling error of the difference between correlated proportions or
    percentages", Psychometrika 12:153-157; the exact binomial form is the sign test of Dixon and Mood 1946.
    """
    differing = table.helped + table.harmed
    return min(1.0, 2 * float(bdtr(min(table.helped, table.harmed), differing, 0.5)))


def newcombe_interval(table: PairedTable, confidence: float = 0.95) -> Interval:
    """Interval of the paired difference of success rates, within [−1, 1].

    :func:`cornerman.stats.square_and_add` with the correlation (ad − bc − n/2) / √((a+b)(c+d)(a+c)(b+d)) of the table
    a = both, b = helped, c = harmed, d = neither; the n/2 is taken off a positive ad − bc only, and never below 0; the
    correlation is 0 when a margin is empty.

    Source: Newcombe 1998, Statistics in Medicine 17:2635-2650, method 10. Among the closed forms it is recommended by
    Fagerland, Lydersen and Laake 2014, "Recommended tests and confidence intervals for paired binomial proportions",
    Statistics in Medicine 33:2850-2875, and it is built from the very Wilson intervals shown beside the two rates.
    """
    a, b, c, d = table.both, table.helped, table.harmed, table.neither
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    association = float(a * d - b * c)
    if association > 0:
        association = max(0.0, association - table.n / 2)
    correlation = association / math.sqrt(margins) if margins else 0.0
    return square_and_add((a + b) / table.n, (a + c) / table.n, table.n, correlation, confidence)
