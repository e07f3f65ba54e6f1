"""A mean over tasks with the interval that fits it."""

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from cornerman.stats.bootstrap import bootstrap_intervals
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


def estimate_mean(task_values: ArrayLike, *, confidence: float = 0.95, seed: int = 0) -> Estimate:
    """Mean of one value in [0, 1] per task, shape (tasks,), with the Wilson or the task-clustered bootstrap interval.

    Wilson, with the number of tasks as n, where every value is 0 or 1. Also where all values are equal, or there is
    one task: the bootstrap would then claim certainty, while Wilson with n tasks is never too short (a mean in [0, 1]
    varies at most as much as a coin of the same mean). Otherwise the bootstrap. Raises ValueError for values outside
    [0, 1] or none.
    """
    values = np.asarray(task_values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"need a flat array of values between 0 and 1, one per task; got {task_values!r}")
    return estimate_means(values[:, None], confidence=confidence, seed=seed)[0]


def estimate_means(columns: ArrayLike, *, confidence: float = 0.95, seed: int = 0) -> list[Estimate]:
    """:func:`estimate_mean` of every column, shape (tasks, columns), which share the bootstrap's samples of tasks."""
    table = np.asarray(columns, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] == 0 or not ((table >= 0) & (table <= 1)).all():
        raise ValueError(f"need values between 0 and 1, one per task, in columns; got {columns!r}")
    n = table.shape[0]
    plain = [yes_or_no(values) or constant(values) for values in table.T]
    resampled = [i for i, is_plain in enumerate(plain) if not is_plain]
    intervals = dict(
        zip(resampled, bootstrap_intervals(table[:, resampled], confidence=confidence, seed=seed), strict=True)
    )
    return [
        Estimate(float(values.mean()), intervals[i], n, "clustered bootstrap")
        if i in intervals
        else Estimate(float(values.mean()), wilson_interval(min(float(values.sum()), n), n, confidence), n, "wilson")
        for i, values in enumerate(table.T)
    ]


def estimate_rate(outcomes: Outcomes, *, confidence: float = 0.95, seed: int = 0) -> Estimate:
    """Success rate with its interval: the mean of the task means; see :func:`estimate_mean`."""
    return estimate_mean(task_means(outcomes), confidence=confidence, seed=seed)
