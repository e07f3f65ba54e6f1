"""Logistic regression of a success on one number, and the number at which success and failure are as likely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cornerman.stats.outcomes import FloatArray

_BATCH_CELLS = 1 << 21
_RIDGE = 1.0
_ROUNDS = 50


@dataclass(frozen=True)
class Boundary:
    """Where a regression changes sides.

    `slope` is per unit of the number; `value` the boundary; `low` and `up` its percentile interval over the resamples
    that have one, of which `share` is the share.
    """

    slope: float
    value: float
    low: float
    up: float
    share: float


def boundary(
    numbers: ArrayLike,
    successes: ArrayLike,
    clusters: ArrayLike,
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Boundary | None:
    """The number below which success is the likelier; None where success does not fall with the number.

    Of P(success | x) = 1 / (1 + exp(−(a + b x))) with b < 0 it is −a / b. Both classes weigh the same, so that it does
    not move with how many succeed; x is standardised and b² / 2 added to the negative log-likelihood, so that classes
    that a threshold parts have an answer. Fitted by Newton's method (McCullagh and Nelder 1989, Generalized Linear
    Models, section 4.4). The interval is of percentiles over bootstrap samples of whole clusters (Davison and Hinkley
    1997, Bootstrap Methods and their Application, section 3.8); samples in which b ≥ 0, or one class is missing, have
    no boundary.

    numbers, successes, clusters: shape (n,); a cluster is named by an integer from 0 on. Raises ValueError for other
    shapes, for numbers that are not finite, and unless there is a success and a failure.
    """
    x, y = np.asarray(numbers, dtype=np.float64), np.asarray(successes, dtype=np.bool_)
    groups = np.asarray(clusters, dtype=np.intp)
    if x.ndim != 1 or x.shape != y.shape or x.shape != groups.shape or not np.isfinite(x).all():
        raise ValueError("need one finite number, one success and one cluster for each step")
    if y.all() or not y.any():
        raise ValueError("need successes and failures")
    mean, scale = float(x.mean()), float(x.std())
    if scale == 0:
        return None
    z = (x - mean) / scale
    [[a, b]] = _fit(z, y, np.ones((1, x.size)))
    if not b < 0:
        return None
    rng = np.random.default_rng(seed)
    names, place = np.unique(groups, return_inverse=True)
    rows = max(1, _BATCH_CELLS // x.size)
    found = []
    for start in range(0, resamples, rows):
        drawn = rng.multinomial(names.size, np.full(names.size, 1 / names.size), size=min(rows, resamples - start))
        found.append(_fit(z, y, drawn[:, place].astype(np.float64)))
    fits = np.concatenate(found)
    fits = fits[fits[:, 1] < 0]
    if fits.size == 0:
        return None
    values = mean - scale * fits[:, 0] / fits[:, 1]
    low, up = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Boundary(float(b / scale), float(mean - scale * a / b), float(low), float(up), len(fits) / resamples)


def _fit(z: FloatArray, y: np.typing.NDArray[np.bool_], weights: FloatArray) -> FloatArray:
    """Intercepts and slopes, shape (r, 2), for weights (r, n); zero where a class is missing."""
    won = weights * y
    lost = weights - won
    both = (won.sum(1) > 0) & (lost.sum(1) > 0)
    total = weights.sum(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        w = np.where(
            y, won * (total / (2 * won.sum(1, keepdims=True))), lost * (total / (2 * lost.sum(1, keepdims=True)))
        )
    w[~both] = 0
    beta = np.zeros((len(weights), 2))
    for _ in range(_ROUNDS):
        p = 1 / (1 + np.exp(-np.clip(beta[:, :1] + beta[:, 1:] * z, -30, 30)))
        residual, curve = w * (y - p), w * p * (1 - p)
        g0, g1 = residual.sum(1), residual @ z - _RIDGE * beta[:, 1]
        h00, h01, h11 = curve.sum(1) + 1e-9, curve @ z, curve @ (z * z) + _RIDGE
        det = h00 * h11 - h01 * h01
        step = np.stack([(h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det], axis=1)
        beta += np.clip(step, -4, 4)
        if np.abs(step).max() < 1e-8:
            break
    return beta
