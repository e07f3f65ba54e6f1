"""Scales: from numbers to places, and the ticks on their axes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass


def tick(shown: str) -> str:
    """A number at an axis: without decimals that are none."""
    return re.sub(r"\.0(?!\d)", "", shown)


@dataclass(frozen=True)
class Scale:
    """A linear or logarithmic scale from `low`…`high` to the places `start`…`end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a number; those outside lie on the border."""
        low, high, value = (self._even(v) for v in (self.low, self.high, value))
        share = 0.5 if high == low else (value - low) / (high - low)
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    def _even(self, value: float) -> float:
        return math.log10(max(value, 1e-300)) if self.log else value

    def ticks(self, about: int = 5) -> list[float]:
        """Round numbers within the scale."""
        return _powers(self.low, self.high) if self.log else rounded(self.low, self.high, about)


def rounded(low: float, high: float, about: int) -> list[float]:
    """About so many multiples of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / about
    if raw < 1e-300:
        return [low]
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def _powers(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten, or powers alone where those were many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    many = last - first > 2
    found = [s * 10.0**p for p in range(first, last + 1) for s in ((1,) if many else (1, 2, 5))]
    return [t for t in found if low * 0.999 <= t <= high * 1.001] or [low, high]


def spanning(values: list[float], start: float, end: float) -> Scale:
    """A scale for costs: from zero, or logarithmic where they differ by more than thirty times."""
    least, most = min((v for v in values if v > 0), default=1.0), max(values, default=1.0)
    if most > 30 * least and min(values) > 0:
        return Scale(least / 1.5, most * 1.5, start, end, log=True)
    return Scale(0.0, (most or 1.0) * 1.08, start, end)
