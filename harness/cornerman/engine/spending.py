"""What an episode may spend, and what is left of it.

A budget is looked at before every decision and before every attempt, so the decision that exhausts it is still played
to its end: an episode overspends by less than one decision. An attempt that runs out ends as truncated.
"""

from __future__ import annotations

import msgspec

from cornerman.engine.context import Scope
from cornerman.prices import dollars


def left(scope: Scope) -> dict[str, float] | None:
    """What is left in every limited currency; None where nothing is limited."""
    if scope.spend is None:
        return None
    limits = {name: most for name, most in msgspec.structs.asdict(scope.spend).items() if most is not None}
    return {name: max(0.0, most - spent(scope, name)) for name, most in limits.items()}


def spent(scope: Scope, currency: str) -> float:
    """What the episode has cost so far in one currency.

    The user's calls are the environment's, not the method's; those of a critic in shadow may change nothing.
    """
    if currency == "steps":
        return scope.steps
    aside = scope.shadows
    calls = [c for c in scope.calls if c.role != "user" and not (c.role == "critic" and c.plugin in aside)]
    if currency == "dollars":
        return dollars(calls, scope.bench.prices)
    if currency == "calls":
        return sum(c.usage.calls for c in calls)
    return sum(c.usage.prompt + c.usage.cached + c.usage.output for c in calls)


def stops(scope: Scope) -> bool:
    """Whether the budget ends the episode here; noted, since what it came to is then not all that was in it."""
    if not exhausted(scope):
        return False
    scope.out_of_budget = True
    return True


def exhausted(scope: Scope) -> bool:
    """Whether nothing is left in some currency."""
    remaining = left(scope)
    return remaining is not None and min(remaining.values(), default=1.0) <= 0
