"""What a unit of cost buys: successes over costs, with a task-clustered interval."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from cornerman.stats.intervals import Interval, normal_quantile, wilson_interval


def per_unit_interval(successes: ArrayLike, costs: ArrayLike, trials: int, confidence: float = 0.95) -> Interval | None:
    """Interval of R = Σ y / Σ x for y successes at the cost x per task, shape (tasks,), of so many trials each.

    Linearised on the logarithm: R exp(∓ t(n−1) s / R), with s² = Σu² / (n(n−1)) and the residuals u = (y − R x) / x̄
    (Cochran 1977, Sampling Techniques, section 6.4, without the finite population correction; Särndal, Swensson
    and Wretman 1992, Model Assisted Survey Sampling, section 5.6). The logarithm keeps the limits positive and
    their skew that of a ratio. Trials of a task may be as alike as they please.

    Where nothing succeeded, or every task has the same successes, residuals claim too much or nothing: the limits are
    then those of Wilson's interval of the success rate over n tasks, at the mean cost. None where nothing was spent.
    Raises ValueError for arrays that do not match, negative values, or no task.
    """
    y, x = np.asarray(successes, dtype=np.float64), np.asarray(costs, dtype=np.float64)
    if y.ndim != 1 or y.shape != x.shape or y.size == 0 or not (np.isfinite(x).all() and (x >= 0).all() and trials > 0):
        raise ValueError(f"need two flat arrays, one entry per task, not negative; got {y.shape} and {x.shape}")
    normal_quantile(confidence)  # refuses a confidence outside (0, 1)
    n, spent = y.size, float(x.mean())
    if spent == 0:
        return None
    if np.ptp(y) == 0:
        low, high = wilson_interval(min(n, float(y.sum()) / trials), n, confidence)
        return low * trials / spent, high * trials / spent
    ratio = float(y.sum() / x.sum())
    error = math.sqrt(float(np.sum((y - ratio * x) ** 2)) / (n * (n - 1))) / spent
    stretch = math.exp(min(50.0, float(stdtrit(n - 1, (1 + confidence) / 2)) * error / ratio))
    return ratio / stretch, ratio * stretch
