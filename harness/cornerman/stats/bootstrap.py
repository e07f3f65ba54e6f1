"""Task-clustered bootstrap interval of a mean over tasks: a rate, a paired difference, a pass@k."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtrit

from cornerman.stats.intervals import Interval, normal_quantile
from cornerman.stats.outcomes import FloatArray

_BATCH_CELLS = 1 << 21


def resampled_means(values: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Means of ``resamples`` samples of whole tasks drawn with replacement, shape (resamples,)."""
    n = values.size
    rows = max(1, _BATCH_CELLS // n)
    means = [
        values[rng.integers(0, n, size=(min(rows, resamples - start), n))].mean(axis=1)
        for start in range(0, resamples, rows)
    ]
    return np.concatenate(means)


def bootstrap_interval(
    task_values: ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int | np.random.Generator = 0,
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
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"need a flat array of finite values, one per task; got shape {values.shape}")
    normal_quantile(confidence)  # refuses a confidence outside (0, 1)
    n, mean = values.size, float(values.mean())
    if np.ptp(values) == 0:
        return mean, mean
    means = resampled_means(values, resamples, np.random.default_rng(seed))
    centred = values - mean
    acceleration = float(np.sum(centred**3) / (6 * np.sum(centred**2) ** 1.5))
    return bca_limits(means, mean, acceleration, n, confidence, 1e-12 * float(np.abs(values).max()))


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
