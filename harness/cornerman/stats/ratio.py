"""Ratio of two sums over tasks, with a task-clustered bootstrap interval: a mean weighted by inverse probabilities."""

import numpy as np
from numpy.typing import ArrayLike

from cornerman.stats.bootstrap import bca_limits
from cornerman.stats.intervals import Interval, normal_quantile


def ratio_interval(
    numerators: ArrayLike,
    denominators: ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> Interval:
    """BCa bootstrap interval of Σ y / Σ n with one y and one n > 0 per task, both of shape (tasks,).

    With y the sum of a task's values over their probabilities of being drawn, and n that of 1 over them, the ratio is
    Hájek's estimate of the mean of all values (Hájek 1971, comment in Foundations of Statistical Inference, p. 236; see
    Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, section 5.7). Tasks are resampled whole, as in
    :func:`cornerman.stats.bootstrap_interval`, whose formulas hold with the linearised values u = (y − R n) / mean(n)
    (the same, section 5.6) in place of v − m. A single point where all u are 0, as with one task. Raises ValueError for
    arrays that do not match, an n that is not positive, or no task.
    """
    y, n = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    if y.ndim != 1 or y.shape != n.shape or y.size == 0 or not (np.isfinite(y).all() and (n > 0).all()):
        raise ValueError(f"need two flat arrays, one entry per task, the second positive; got {y.shape} and {n.shape}")
    normal_quantile(confidence)  # refuses a confidence outside (0, 1)
    tasks, ratio = y.size, float(y.sum() / n.sum())
    spread = (y - ratio * n) / n.mean()
    if tasks == 1 or np.abs(spread).max() < 1e-12:
        return ratio, ratio
    rng = np.random.default_rng(seed)
    rows = max(1, (1 << 21) // tasks)
    parts = []
    for start in range(0, resamples, rows):
        drawn = rng.integers(0, tasks, size=(min(rows, resamples - start), tasks))
        parts.append(y[drawn].sum(axis=1) / n[drawn].sum(axis=1))
    acceleration = float(np.sum(spread**3) / (6 * np.sum(spread**2) ** 1.5))
    tie = 1e-12 * max(1.0, float(np.abs(y / n).max()))
    return bca_limits(np.concatenate(parts), ratio, acceleration, tasks, confidence, tie)
