"""The difference that a full run can show, from the variance of a pilot.

With d the difference of a task's means, τ² its variance between tasks and σ² that of one trial of both arms within a
task, n tasks of k trials give the mean difference the variance (τ² + σ²/k) / n (Miller 2024, "Adding Error Bars to
Evals", arXiv 2411.00640, section 5). A two-sided test at level α shows the difference δ with power 1 − β where
δ = (z(1−α/2) + z(1−β)) √((τ² + σ²/k) / n) (Cohen 1988, Statistical Power Analysis for the Behavioral Sciences, chapter
2, for large n; Lachin 1981, Controlled Clinical Trials 2:93-113). All differences are in success rate.

These are the powers of large samples: on few tasks the exact McNemar and sign-flip tests, whose statistics are
discrete, find a little less.
"""

from __future__ import annotations

import math
from statistics import NormalDist, fmean, variance
from typing import NamedTuple

from cornerman.stats import Outcomes, shared_tasks, wilson_interval


class Variance(NamedTuple):
    """Of a method's difference. `total` is that of the task means' differences, at the pilot's number of trials.

    `between` is τ² and `within` σ²; both are None where the pilot had one trial, which cannot tell them apart.
    `bounded`: the task means' differences were all equal, and `total` is an upper bound.
    """

    total: float
    between: float | None
    within: float | None
    bounded: bool


def pilot_variance(baseline: Outcomes, method: Outcomes) -> Variance | None:
    """The variance of the paired differences of task means in a pilot; None with fewer than two tasks.

    σ² is the mean over tasks of the variance of the differences of its trials, trial i of the method less trial i of
    the baseline, which share their random numbers; τ² is what the variance of the task means' differences holds beyond
    σ²/k, and at least 0 (analysis of variance; Searle, Casella and McCulloch 1992, Variance Components, section 3.2).
    Where all differences d are equal the variance would be 0. At most the share u of tasks is then unlike the others, u
    the upper end of Wilson's 95 % interval for 0 of n tasks, by at most 1 + |d|: u (1 + |d|)² bounds the variance, and
    nothing is split. Raises ValueError when the two have other numbers of trials.
    """
    tasks = shared_tasks(baseline, method)
    if len(tasks) < 2:
        return None
    steps = [[int(m) - int(b) for b, m in zip(baseline[t], method[t], strict=True)] for t in tasks]
    k = len(steps[0])
    total = variance(map(fmean, steps))
    if total < 1e-12:
        share = wilson_interval(0, len(tasks))[1]
        return Variance(share * (1 + abs(fmean(steps[0]))) ** 2, None, None, bounded=True)
    if k < 2:
        return Variance(total, None, None, bounded=False)
    within = min(fmean(map(variance, steps)), total * k)
    return Variance(total, total - within / k, within, bounded=False)


def quantile_sum(alpha: float, power: float) -> float:
    """z(1−α/2) + z(power), 2.80 for 0.05 and 0.8."""
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)


def detectable(variance: float, tasks: int, alpha: float, power: float) -> float:
    """The smallest difference that so many tasks show with this power; `variance` is that of a task's difference."""
    return quantile_sum(alpha, power) * math.sqrt(variance / tasks)


def tasks_needed(variance: float, difference: float, alpha: float, power: float) -> int:
    """Tasks that show a difference with this power."""
    return max(2, math.ceil(variance * (quantile_sum(alpha, power) / difference) ** 2 - 1e-9))


def trials_needed(found: Variance, tasks: int, difference: float, alpha: float, power: float) -> int | None:
    """Trials of each task that show a difference; None where no number is enough, or the pilot cannot say."""
    if found.between is None or found.within is None:
        return None
    room = tasks * (difference / quantile_sum(alpha, power)) ** 2 - found.between
    return max(1, math.ceil(found.within / room - 1e-9)) if room > 1e-12 else None
