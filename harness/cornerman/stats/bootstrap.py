"""Task-clustered bootstrap interval of a mean over tasks: a rate, a paired difference, a pass@k."""

import functools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

from cornerman.stats.intervals import Interval, normal_quantile
from cornerman.stats.outcomes import FloatArray

_BATCH_CELLS = 1 << 21
MANY = 4096
"""Tasks above which the distinct values are resampled instead of the tasks, where those are much fewer."""
RESAMPLES = 10_000


@functools.lru_cache(maxsize=1)
def drawn_counts(n: int, resamples: int, seed: int) -> NDArray[np.uint8]:
    """How often each of n tasks is in each resample, shape (resamples, n); the last one asked for is kept.

    A count over 255 would need one task to be drawn that often out of n: its chance is below 1e-500.
    """
    rng = np.random.default_rng(seed)
    counts = np.empty((resamples, n), dtype=np.uint8)
    rows = max(1, _BATCH_CELLS // n)
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = rng.integers(0, n, size=(size, n)) + np.arange(size)[:, None] * n
        counts[start : start + size] = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
    return counts


def resampled_sums(columns: FloatArray, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Sums of columns, shape (tasks, columns), over samples of whole tasks with replacement: batches of resamples."""
    counts = drawn_counts(columns.shape[0], resamples, seed)
    rows = max(1, _BATCH_CELLS // columns.shape[0])
    for start in range(0, resamples, rows):
        yield counts[start : start + rows].astype(np.float64) @ columns


def means_of_few(values: FloatArray, counts: NDArray[np.intp], resamples: int, seed: int) -> FloatArray:
    """Resampled means where a few distinct values stand for many tasks, shape (resamples,).

    How often each value is drawn is multinomial, so that this is the same bootstrap at a cost without the tasks.
    """
    n = int(counts.sum())
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=resamples)
    return np.asarray(drawn @ values / n, dtype=np.float64)


def bootstrap_interval(
    task_values: ArrayLike, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """BCa bootstrap interval of the mean of one value per task, shape (tasks,), with its small-sample widening.

    Tasks are resampled whole, trials never, so the trials of a task may be as alike as they please. For a paired
    difference give the task's difference of means: both methods then move with the task.

    With resampled means m*, observed mean m, z0 = Φ⁻¹(P(m* < m) + P(m* = m)/2) and, for a mean, the acceleration
    a = Σ(v−m)³ / (6 (Σ(v−m)²)^(3/2)), the limits are the quantiles of m* at Φ(z0 + (z0+z)/(1 − a(z0+z))), for z = ∓w.

    Sources: Davison and Hinkley 1997, Bootstrap Methods and their Application, section 3.8, for resampling clusters;
    Efron 1987, "Better bootstrap confidence intervals", JASA 82:171-185, and Efron and Tibshirani 1993, An
    Introduction to the Bootstrap, equations 14.9, 14.10, 14.14 and 14.15, for BCa; Hesterberg 2015, "What teachers
    should know about the bootstrap", The American Statistician 69:371-386, for w = √(n/(n−1)) t(n−1) in place of the
    normal quantile, without which intervals from a dozen tasks are too short.

    The interval lies within the range of the values. Where all values are equal, or there is one task, nothing can be
    learnt by resampling and the interval is that single point; :func:`cornerman.stats.estimate_mean` and
    :func:`cornerman.stats.compare` use a closed form there. Raises ValueError for an empty or non-finite array.
    """
    values = np.asarray(task_values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"need a flat array of finite values, one per task; got shape {values.shape}")
    return bootstrap_intervals(values[:, None], confidence=confidence, resamples=resamples, seed=seed)[0]


def bootstrap_intervals(
    columns: ArrayLike, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> list[Interval]:
    """:func:`bootstrap_interval` of every column, shape (tasks, columns): the same samples of tasks serve all of them.

    Many columns take little more time than one.
    """
    table = np.asarray(columns, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] == 0 or not np.isfinite(table).all():
        raise ValueError(f"need finite values, one per task, in columns; got shape {table.shape}")
    normal_quantile(confidence)  # refuses a confidence outside (0, 1)
    n, means = table.shape[0], table.mean(axis=0)
    found: list[Interval] = [(float(mean), float(mean)) for mean in means]
    together: list[int] = []
    for i in np.flatnonzero(np.ptp(table, axis=0) > 0).tolist():
        values, counts = np.unique(table[:, i], return_counts=True) if n > MANY else (table[:, i], None)
        if counts is None or 16 * values.size > n:
            together.append(i)
        else:
            drawn = means_of_few(values, counts, resamples, seed)
            found[i] = limits_of_mean(drawn, table[:, i], confidence)
    if together:
        sums = np.concatenate(list(resampled_sums(table[:, together], resamples, seed)))
        for i, drawn in zip(together, (sums / n).T, strict=True):
            found[i] = limits_of_mean(drawn, table[:, i], confidence)
    return found


def limits_of_mean(means: FloatArray, values: FloatArray, confidence: float) -> Interval:
    """The limits of :func:`bootstrap_interval` from resampled means of some values."""
    mean = float(values.mean())
    centred = values - mean
    acceleration = float(np.sum(centred**3) / (6 * np.sum(centred**2) ** 1.5))
    return bca_limits(means, mean, acceleration, values.size, confidence, 1e-12 * float(np.abs(values).max()))


def bca_limits(means: FloatArray, mean: float, acceleration: float, n: int, confidence: float, tie: float) -> Interval:
    """The limits of :func:`bootstrap_interval` from resampled means; those within ``tie`` of the mean count half."""
    below = np.mean(means < mean - tie) + np.mean(np.abs(means - mean) <= tie) / 2
    bias = float(ndtri(np.clip(below, 1 / means.size, 1 - 1 / means.size)))
    width = math.sqrt(n / (n - 1)) * float(stdtrit(n - 1, (1 + confidence) / 2))
    shifted = bias + np.array([-width, width])
    # Past 1/a the BCa map turns back on itself; the limit there is the end of the resampled means.
    stretch = np.maximum(1 - acceleration * shifted, 1e-12)
    low, high = np.quantile(means, ndtr(bias + shifted / stretch))
    return float(low), float(high)
