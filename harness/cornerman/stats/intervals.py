"""Closed-form intervals for a rate and for a difference of two rates on the same tasks."""

import math

from scipy.special import ndtri

Interval = tuple[float, float]


def normal_quantile(confidence: float) -> float:
    """Two-sided standard normal quantile z, 1.96 for a confidence of 0.95. Raises ValueError outside (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie strictly between 0 and 1, not {confidence!r}; 0.95 is usual")
    return float(ndtri((1 + confidence) / 2))


def wilson_interval(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """Score interval of a binomial rate from ``successes`` out of ``n`` independent tasks.

    (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), with p = successes / n.

    Source: Wilson 1927, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22:209-212.
    ``successes`` may be fractional (a sum of task means). Raises ValueError when n is not positive or the successes
    do not lie in [0, n].
    """
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: n must be positive and the successes between 0 and n")
    z2 = normal_quantile(confidence) ** 2
    rate = successes / n
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (rate * (1 - rate) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # At the ends the formula is 0 or 1 exactly; floating point is not.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def square_and_add(
    rate: float, baseline_rate: float, n: float, correlation: float = 0.0, confidence: float = 0.95
) -> Interval:
    """Interval of ``rate - baseline_rate`` for two rates on the same n tasks, from the Wilson interval of each.

    With Wilson limits (l, u) of the rate p and (m, v) of the baseline rate q, and their correlation r:
    low = p − q − √((p−l)² − 2r(p−l)(v−q) + (v−q)²), high = p − q + √((u−p)² − 2r(u−p)(q−m) + (q−m)²).

    Source: Newcombe 1998, "Improved confidence intervals for the difference between binomial proportions based on
    paired data", Statistics in Medicine 17:2635-2650, methods 8 to 10. A correlation of 0 is the cautious choice for
    outcomes that rise and fall together.
    """
    low, high = wilson_interval(rate * n, n, confidence)
    base_low, base_high = wilson_interval(baseline_rate * n, n, confidence)

    def spread(one: float, other: float) -> float:
        # Cauchy-Schwarz keeps this at or above 0 for |correlation| <= 1; rounding may not.
        return math.sqrt(max(0.0, one**2 - 2 * correlation * one * other + other**2))

    difference = rate - baseline_rate
    return (
        max(-1.0, difference - spread(rate - low, base_high - baseline_rate)),
        min(1.0, difference + spread(high - rate, baseline_rate - base_low)),
    )
