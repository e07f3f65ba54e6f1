"""What a method's successes cost, and how surely they come again: parts of its row that need whole columns.

`Row` of `cornerman.summary` holds them; see `cornerman.stats` for the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from cornerman import stats
from cornerman.aggregate import Figures
from cornerman.summary import Curve, Passes, Yield

STEPS = 32
"""Steps of a curve that a summary keeps."""
UNITS = {"million_tokens": ("tokens", 1e6), "dollar": ("dollars", 1.0), "hour": ("seconds", 3600.0)}
CURRENCIES = ("turns", "tokens", "dollars")


class Worth(msgspec.Struct, frozen=True, kw_only=True):
    """The success rate of a method and what stands beside it."""

    rate: stats.Estimate
    passes: list[Passes]
    successes_per: dict[str, Yield]
    curves: dict[str, Curve]


def ks(trials: int) -> list[int]:
    """The k of pass@k that are shown: 2, 3, 4, then doubling, and all trials."""
    some = [2, 3, 4, *(2**i for i in range(3, trials.bit_length()))]
    return sorted({k for k in some if k < trials} | ({trials} if trials > 1 else set()))


def worths(figures: Sequence[Figures], seed: int) -> list[Worth]:
    """What stands beside the success rate of every method of a table, all of one panel.

    All bootstraps share their samples of tasks.
    """
    limits = {c: max(float(getattr(f, c).max()) for f in figures) for c in CURRENCIES}
    currencies = [c for c, limit in limits.items() if limit > 0]
    parts = [columns(f, {c: limits[c] for c in currencies}) for f in figures]
    estimates = iter(stats.estimate_means(np.column_stack(parts), seed=seed))
    out = []
    for f, part in zip(figures, parts, strict=True):
        rate, *rest = (next(estimates) for _ in part.T)
        numbers = ks(f.success.shape[1])
        passes = [
            Passes(k=k, any=a.value, any_ci=a.ci, all=b.value, all_ci=b.ci)
            for k, a, b in zip(numbers, rest[0 : 2 * len(numbers) : 2], rest[1 : 2 * len(numbers) : 2], strict=True)
        ]
        areas = zip(currencies, rest[2 * len(numbers) :], strict=True)
        curves = {c: curve(f, c, limits[c], area) for c, area in areas if getattr(f, c).any()}
        out.append(Worth(rate=rate, passes=passes, successes_per=yields(f), curves=curves))
    return out


def columns(f: Figures, limits: Mapping[str, float]) -> NDArray[np.float64]:
    """One value a task: the success rate, pass@k and pass^k for every k, and the area for every currency."""
    trials = f.success.shape[1]
    won = f.success.sum(axis=1)
    found = [won / trials]
    for k in ks(trials):
        for formula in (stats.pass_at_k, stats.pass_hat_k):
            found.append(np.array([formula(c, trials, k) for c in range(trials + 1)])[won])
    for currency, limit in limits.items():
        left = 1 - np.minimum(getattr(f, currency) / limit, 1.0)
        found.append((f.success * left).mean(axis=1))
    return np.column_stack(found)


def yields(f: Figures) -> dict[str, Yield]:
    """Successes for every unit of cost that the method paid."""
    out = {}
    for name, (currency, unit) in UNITS.items():
        costs = getattr(f, currency).sum(axis=1)
        ci = stats.per_unit_interval(f.success.sum(axis=1), costs, f.success.shape[1])
        if ci is not None:
            value = float(f.success.sum()) / float(costs.sum()) * unit
            out[name] = Yield(value=value, ci=(ci[0] * unit, ci[1] * unit))
    return out


def curve(f: Figures, currency: str, limit: float, area: stats.Estimate) -> Curve:
    """The curve of one currency."""
    costs = getattr(f, currency)[f.success]
    whole = stats.step_curve(costs, np.full(costs.size, 1 / f.success.size))
    steps = len(whole.budgets)
    kept = sorted({round(i) for i in np.linspace(0, steps - 1, min(STEPS, steps))})
    return Curve(
        limit=limit,
        area=area.value,
        area_ci=area.ci,
        budgets=[whole.budgets[i] for i in kept],
        rates=[whole.rates[i] for i in kept],
    )
