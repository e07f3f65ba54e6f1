"""Adjusted p-values for a family of comparisons: Holm from p-values alone, max-T from the differences themselves."""

import numpy as np
from numpy.typing import ArrayLike

from cornerman.stats.outcomes import FloatArray
from cornerman.stats.signflip import TIE, sign_patterns, tail_probability


def holm(p_values: ArrayLike) -> FloatArray:
    """Holm's step-down adjusted p-values, shape (comparisons,), in the order given.

    With p sorted upwards, the j-th of m is adjusted to max over i ≤ j of min(1, (m − i + 1) p_i). Rejecting where the
    result is at most α keeps the chance of any false rejection at α under every dependence.

    Source: Holm 1979, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6:65-70.
    Raises ValueError for p-values outside [0, 1].
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p-values must be a flat list of numbers between 0 and 1, not {p_values!r}")
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, np.arange(p.size, 0, -1) * p[order])
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(stepped)
    return adjusted


def max_t(differences: ArrayLike, *, seed: int | np.random.Generator = 0, flips: int = 10_000) -> FloatArray:
    """Step-down max-T adjusted p-values by sign flips, from differences of shape (comparisons, tasks).

    Each comparison's statistic is T = |Σd| / √Σd². A flip turns the sign of a task in all comparisons at once, so that
    the dependence between them (they share tasks and a baseline) stays in the reference distribution, and less is paid
    for many similar methods than with Holm. With the comparisons in falling order of T, the j-th is adjusted to the
    share of flips in which the largest T among the j-th and all after it reaches the observed T, made monotone.

    Source: Westfall and Young 1993, Resampling-Based Multiple Testing, algorithm 4.1 in its max-T form. For a single
    comparison it equals :func:`cornerman.stats.sign_flip_test`. With a shared baseline the joint signs are symmetric
    only in the limit of many tasks; prefer Holm for a handful. A task entered as 0 for a comparison is ignored by it.
    ``seed`` and ``flips`` matter only above 16 tasks with a difference. Raises ValueError for a non-finite matrix.
    """
    matrix = np.asarray(differences, dtype=np.float64)
    if matrix.ndim != 2 or matrix.size == 0 or not np.isfinite(matrix).all():
        raise ValueError(f"need finite differences of shape (comparisons, tasks); got shape {matrix.shape}")
    matrix = matrix[:, (matrix != 0).any(axis=0)]
    length = np.sqrt(np.sum(matrix**2, axis=1, keepdims=True))
    unit = np.divide(matrix, length, out=np.zeros_like(matrix), where=length > 0)
    statistics = np.abs(unit.sum(axis=1))
    order = np.argsort(-statistics, kind="stable")
    observed = statistics[order] * (1 - TIE)
    reached = np.zeros(order.size)
    for signs in sign_patterns(matrix.shape[1], flips, np.random.default_rng(seed)):
        flipped = np.abs(signs @ unit[order].T)
        largest_from_here = np.maximum.accumulate(flipped[:, ::-1], axis=1)[:, ::-1]
        reached += np.sum(largest_from_here >= observed, axis=0)
    adjusted = np.empty(order.size)
    adjusted[order] = np.maximum.accumulate(tail_probability(reached, matrix.shape[1], flips))
    return adjusted
