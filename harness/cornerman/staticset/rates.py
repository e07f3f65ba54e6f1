"""Shares and correlations of verdicts with labels. An error found is the positive: a wrong candidate sent back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cornerman.records import Record
from cornerman.stats import Interval
from cornerman.worth.estimating import Sample
from cornerman.worth.labels import mcc as matthews
from cornerman.worth.labels import rate_interval

Floats = NDArray[np.float64]
RESAMPLES = 2_000


class Estimate(Record, frozen=True, kw_only=True):
    """A number from `of` items, with its 95 % interval over tasks; None where there is nothing to know it from."""

    value: float | None = None
    ci: Interval | None = None
    of: int = 0

    def times(self, factor: float) -> Estimate:
        """The same in another unit."""
        ci = None if self.ci is None else (self.ci[0] * factor, self.ci[1] * factor)
        return Estimate(value=None if self.value is None else self.value * factor, ci=ci, of=self.of)


class Judged(NamedTuple):
    """One verdict on a candidate that gold calls right or wrong."""

    task: str
    wrong: bool
    sent_back: bool


def rate(values: Sequence[tuple[str, float]], seed: int = 0) -> Estimate:
    """The mean of values in [0, 1] by task, each weighing the same.

    Its interval is a BCa bootstrap over whole tasks (`cornerman.stats.ratio_interval`); Wilson's with the tasks as
    observations where all tasks agree, since resampling then shows nothing.
    """
    if not values:
        return Estimate()
    numbers = [value for _, value in values]
    ci = rate_interval([Sample(task, 1.0) for task, _ in values], numbers, seed)
    return Estimate(value=sum(numbers) / len(numbers), ci=ci, of=len(values))


def accuracy(judged: Sequence[Judged], seed: int = 0) -> Estimate:
    """(TP + TN) / all."""
    return rate([(j.task, float(j.wrong == j.sent_back)) for j in judged], seed)


def precision(judged: Sequence[Judged], seed: int = 0) -> Estimate:
    """TP / (TP + FP): of the candidates that were sent back, the share that is wrong."""
    return rate([(j.task, float(j.wrong)) for j in judged if j.sent_back], seed)


def recall(judged: Sequence[Judged], seed: int = 0) -> Estimate:
    """TP / (TP + FN): of the wrong candidates, the share that was sent back."""
    return rate([(j.task, float(j.sent_back)) for j in judged if j.wrong], seed)


def f1(judged: Sequence[Judged], seed: int = 0) -> Estimate:
    """2 TP / (2 TP + FP + FN): the harmonic mean of precision and recall (van Rijsbergen 1979, chapter 7)."""

    def of(cells: Floats) -> Floats:
        tp, fp, fn, _ = cells.T
        whole = 2 * tp + fp + fn
        return share(2 * tp, whole)

    return _of_counts(judged, of, seed)


def share(parts: Floats, wholes: Floats) -> Floats:
    """Parts of wholes; NaN of nothing."""
    out = np.full(wholes.shape, math.nan)
    np.divide(parts, wholes, out=out, where=wholes > 0)
    return out


def mcc(judged: Sequence[Judged], seed: int = 0) -> Estimate:
    """Matthews' correlation of verdict and label; see `cornerman.worth.labels.mcc`."""

    def of(cells: Floats) -> Floats:
        found = [matthews(tp, fp, fn, tn) for tp, fp, fn, tn in cells.tolist()]
        return np.array([math.nan if value is None else value for value in found])

    return _of_counts(judged, of, seed)


def _of_counts(judged: Sequence[Judged], of: Callable[[Floats], Floats], seed: int) -> Estimate:
    """A statistic of the four counts (TP, FP, FN, TN), and its interval from resampled tasks."""
    tasks = list(dict.fromkeys(j.task for j in judged))
    cells = np.zeros((len(tasks), 4))
    for j in judged:
        cells[tasks.index(j.task), 2 * (not j.sent_back) + (not j.wrong)] += 1
    return resampled(lambda weights: of(weights @ cells), len(tasks), len(judged), seed)


def resampled(of: Callable[[Floats], Floats], tasks: int, items: int, seed: int) -> Estimate:
    """A statistic, with the percentile interval of `RESAMPLES` draws of whole tasks with replacement.

    `of` takes how often each task was drawn, of shape (draws, tasks), and answers one number a draw, NaN where there is
    none. The interval (Efron 1979, Annals of Statistics 7:1-26) is None where all draws agree: that is no certainty.
    """
    if not tasks:
        return Estimate()
    value = float(of(np.ones((1, tasks)))[0])
    if math.isnan(value):
        return Estimate(of=items)
    drawn = np.random.default_rng(seed).multinomial(tasks, np.full(tasks, 1 / tasks), size=RESAMPLES)
    found = of(drawn.astype(np.float64))
    low, high = np.quantile(found[~np.isnan(found)], (0.025, 0.975)) if not np.isnan(found).all() else (value, value)
    spread = float(high - low) > 1e-12
    return Estimate(value=value, ci=(float(low), float(high)) if spread else None, of=items)
