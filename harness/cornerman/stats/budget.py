"""What success costs: the success-against-budget curve, its area, and successes per unit of cost."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from cornerman.stats.outcomes import FloatArray, Outcomes, task_means

Costs = Mapping[str, Sequence[float]]
"""Task id to the cost of each trial's episode, in the order of the outcomes, in one currency."""


class BudgetCurve(msgspec.Struct, frozen=True):
    """Success rate within a budget per episode: a step function, 0 below the first budget.

    ``rates[i]`` holds from ``budgets[i]`` (included) to the next; budgets are the distinct costs of successful
    episodes, upwards, in the currency of the costs. Both are empty when nothing succeeded.
    """

    budgets: tuple[float, ...]
    rates: tuple[float, ...]

    def at(self, budget: float) -> float:
        """Success rate of episodes that may cost at most ``budget``."""
        step = int(np.searchsorted(self.budgets, budget, side="right"))
        return self.rates[step - 1] if step else 0.0

    def area(self, limit: float) -> float:
        """Mean success rate over budgets from 0 to ``limit``, in [0, 1]: the area under the curve over the limit.

        It is the chance that an episode succeeds within a budget drawn evenly from [0, limit]. Use one limit for all
        methods of a table. Raises ValueError when the limit is not positive.
        """
        if not limit > 0:
            raise ValueError(f"the largest budget must be positive, not {limit!r}")
        edges = np.append(np.minimum(self.budgets, limit), limit)
        return float(np.sum(np.diff(edges) * np.asarray(self.rates)) / limit)


def budget_curve(outcomes: Outcomes, costs: Costs) -> BudgetCurve:
    """Curve of the share of episodes that succeeded at a cost of at most b, every task weighing the same.

    A failed episode never enters, whatever it cost. It is the sub-distribution function of the cost of success: the
    run-length distribution of Hoos and Stützle 1998, "Evaluating Las Vegas algorithms", UAI, 238-245, and the data
    profile of Moré and Wild 2009, "Benchmarking derivative-free optimization algorithms", SIAM J. Optim. 20:172-191.
    Raises ValueError for a cost that is negative or not finite, or when a task's costs and outcomes differ in number.
    """
    tasks = task_means(outcomes).size
    costs_of_successes, weights = [], []
    for task in sorted(outcomes):
        spent = _task_costs(task, outcomes, costs)
        won = [cost for success, cost in zip(outcomes[task], spent, strict=True) if success]
        costs_of_successes += won
        weights += [1 / (len(spent) * tasks)] * len(won)
    return step_curve(np.array(costs_of_successes), np.array(weights))


def step_curve(costs: FloatArray, weights: FloatArray) -> BudgetCurve:
    """The curve of successful episodes with their costs and weights, shape (successes,) each, in any order."""
    budgets, where = np.unique(costs, return_inverse=True)
    rates = np.minimum(np.cumsum(np.bincount(where, weights, minlength=budgets.size)), 1.0)
    return BudgetCurve(tuple(budgets.tolist()), tuple(rates.tolist()))


def successes_per(outcomes: Outcomes, costs: Costs, unit: float) -> float | None:
    """Successes bought by ``unit`` of cost: all successes over all costs, failed episodes' costs included.

    ``unit`` is 1e6 for successes per million tokens, 1 per dollar of costs in dollars, 3600 per hour of costs in
    seconds. A ratio of totals, not a mean of ratios: a failed episode has no cost per success of its own (Cochran 1977,
    Sampling Techniques, section 2.11). None when nothing was spent. Raises ValueError as :func:`budget_curve` does.
    """
    total = sum(sum(_task_costs(task, outcomes, costs)) for task in outcomes)
    successes = sum(sum(map(bool, trials)) for trials in outcomes.values())
    return successes / total * unit if total else None


def _task_costs(task: str, outcomes: Outcomes, costs: Costs) -> list[float]:
    spent = [float(cost) for cost in costs.get(task, ())]
    if len(spent) != len(outcomes[task]):
        raise ValueError(
            f"task {task!r} has {len(outcomes[task])} outcomes and {len(spent)} costs: give one cost per outcome"
        )
    if not all(np.isfinite(cost) and cost >= 0 for cost in spent):
        raise ValueError(f"task {task!r} has a cost that is negative or not finite: {spent}")
    return spent
