"""Estimates from forks: what the words, the pause and both together were worth, and what chance alone would show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cornerman.records import Record
from cornerman.stats import ratio_interval, square_and_add
from cornerman.stats.compare import full_agreement
from cornerman.worth.arms import Arm

Interval = tuple[float, float]
PRECISION = 0.05
"""Half the width of the interval that the report's power line speaks of."""


@dataclass(frozen=True)
class Sample:
    """One forked moment: its task, its probability of being drawn, and the successes of each arm by sample."""

    task: str
    probability: float
    arms: Mapping[Arm, Sequence[bool]] = field(default_factory=dict)


class Contrast(Record, frozen=True, kw_only=True):
    """One arm less another, in success rate, with its 95 % interval over tasks.

    `helped` and `harmed` are the shares of moments at which only the first, only the second succeeds; `noise` is either
    share as two forks of the second arm alone show it, None where that can not be known from one sample.
    """

    difference: float
    ci: Interval
    helped: float
    harmed: float
    noise: float | None


def mean(values: Sequence[bool]) -> float:
    """Share of successes."""
    return sum(values) / len(values)


def hajek(samples: Sequence[Sample], values: Sequence[float]) -> float:
    """The mean of one value a moment, each weighted by 1/π: Σ v/π / Σ 1/π; see `cornerman.stats.ratio_interval`."""
    weights = [1 / s.probability for s in samples]
    return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)


def interval(samples: Sequence[Sample], values: Sequence[float], seed: int) -> Interval:
    """The 95 % interval of `hajek` over whole tasks; a single point where resampling can learn nothing."""
    y: dict[str, float] = {}
    n: dict[str, float] = {}
    for sample, value in zip(samples, values, strict=True):
        y[sample.task] = y.get(sample.task, 0.0) + value / sample.probability
        n[sample.task] = n.get(sample.task, 0.0) + 1 / sample.probability
    return ratio_interval(list(y.values()), list(n.values()), seed=seed)


def contrast(samples: Sequence[Sample], first: Arm, second: Arm, repeats: bool, seed: int = 0) -> Contrast:
    """The worth of `first` over `second`. `repeats`: nothing is random, and one sample is all there is to know.

    Where all moments differ by the same, the bootstrap would claim certainty; the interval then comes from the Wilson
    intervals of the two rates over as many observations as there are tasks, as in `cornerman.stats.compare`.
    """
    pairs = [(s.arms[first], s.arms[second]) for s in samples]
    values = [mean(a) - mean(b) for a, b in pairs]
    difference = hajek(samples, values)
    ci = interval(samples, values, seed)
    if ci[1] - ci[0] < 1e-12:
        rates = (hajek(samples, [mean(a) for a, _ in pairs]), hajek(samples, [mean(b) for _, b in pairs]))
        tasks = len({s.task for s in samples})
        agreement = full_agreement(rates[0], tasks) if abs(difference) < 1e-12 else 0.0
        ci = square_and_add(min(1.0, rates[0]), min(1.0, rates[1]), tasks, agreement)
    noise = [0.0 if repeats else luck(b) for _, b in pairs]
    return Contrast(
        difference=difference,
        ci=ci,
        helped=hajek(samples, [only_first(a, b) for a, b in pairs]),
        harmed=hajek(samples, [only_first(b, a) for a, b in pairs]),
        noise=None if None in noise else hajek(samples, [n for n in noise if n is not None]),
    )


def only_first(a: Sequence[bool], b: Sequence[bool]) -> float:
    """The chance that a fork of one arm succeeds and one of the other does not, from forks with different luck.

    Forks with the same luck are alike beyond what the arms make them, so pairs of one sample number are left out:
    Σ_{j≠l} a_j (1 − b_l) / (K(K−1)). With K = 1 that one pair is all there is.
    """
    if len(a) == 1:
        return float(a[0] and not b[0])
    k = len(a)
    same = sum(x and not y for x, y in zip(a, b, strict=True))
    return (sum(a) * (k - sum(b)) - same) / (k * (k - 1))


def luck(b: Sequence[bool]) -> float | None:
    """The same for two forks of one arm: c(K − c) / (K(K−1)) for c successes (Hoeffding 1948); None for one fork.

    An unbiased estimate of p(1 − p), half of what `cornerman.stats.aa_flip_rate` counts, which asks for either order.
    """
    k, c = len(b), sum(b)
    return None if k < 2 else c * (k - c) / (k * (k - 1))


def needed(ci: Interval, moments: int) -> int:
    """How many moments an interval of ± `PRECISION` takes: widths shrink with the root of their number.

    It supposes that the tasks grow with them; more moments of the same tasks help less.
    """
    half = (ci[1] - ci[0]) / 2
    return math.ceil(moments * (half / PRECISION) ** 2)
