"""A mean over tasks with the interval that fits it."""

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from cornerman.stats.bootstrap import bootstrap_interval
from cornerman.stats.intervals import Interval, wilson_interval
from cornerman.stats.outcomes import FloatArray, Outcomes, task_means


class Estimate(msgspec.Struct, frozen=True):
    """A mean over tasks: its value, its interval, the number of tasks and the kind of interval."""

    value: float
    ci: Interval
    tasks: int
    interval: Literal["wilson", "clustered bootstrap"]


def yes_or_no(task_values: FloatArray) -> bool:
    """Whether every task's value is 0 or 1: one trial, or trials that all agree, so that tasks are plain coin flips."""
    return bool(np.isin(task_values, (0.0, 1.0)).all())


def constant(task_values: FloatArray) -> bool:
    """Whether all values are equal but for rounding (1 − 2/3 and 2/3 − 1/3 differ in the last bit)."""
    return bool(np.ptp(task_values) <= 1e-12)


def estimate_mean(task_values: ArrayLike, *, confidence: float = 0.95, seed: int | np.random.Generator = 0) -> Estimate:
    """Mean of one value in [0, 1] per task, shape (tasks,), with the Wilson or the task-clustered bootstrap interval.

    Wilson, with the number of tasks as n, where every value is 0 or 1. Also where all values are equal, or there is
    one task: the bootstrap would then claim certainty, while Wilson with n tasks is never too short (a mean in [0, 1]
    varies at most as much as a coin of the same mean). Otherwise the bootstrap. Raises ValueError for values outside
    [0, 1] or none.
    """
    values = np.asarray(task_values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"need a flat array of values between 0 and 1, one per task; got {task_values!r}")
    mean = float(values.mean())
    if yes_or_no(values) or constant(values):
        ci = wilson_interval(min(float(values.sum()), values.size), values.size, confidence)
        return Estimate(mean, ci, values.size, "wilson")
    ci = bootstrap_interval(values, confidence=confidence, seed=seed)
    return Estimate(mean, ci, values.size, "clustered bootstrap")


def estimate_rate(outcomes: Outcomes, *, confidence: float = 0.95, seed: int | np.random.Generator = 0) -> Estimate:
    """Success rate with its interval: the mean of the task means; see :func:`estimate_mean`."""
    return estimate_mean(task_means(outcomes), confidence=confidence, seed=seed)
