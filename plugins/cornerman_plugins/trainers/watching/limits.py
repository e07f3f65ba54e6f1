"""Stops a run that has collapsed, and says why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cornerman_plugins.trainers.recipe.settings import Limits


class Watch:
    """Counts for how many updates in a row each limit was passed. `memory` is JSON and belongs to the checkpoint."""

    def __init__(self, limits: Limits, memory: dict[str, Any]) -> None:
        self.limits, self.memory = limits, memory

    def look(self, role: str, figures: Mapping[str, float]) -> str:
        """Take one update's figures of a role that learns by advantages; why to stop, or nothing."""
        limits = self.limits
        length = figures["length"]
        usual = self.memory.setdefault("length", {}).setdefault(role, length) or length
        drift = max(length / usual, usual / length) if length and usual else 1.0
        passed = {
            f"the mean entropy of its decisions is below {limits.entropy:g} nats": figures["entropy"] < limits.entropy,
            "all samples of every group fare alike, so that nothing is learned": 0 < limits.dead <= figures["dead"],
            f"its samples have become {drift:.1f} times as long or short": 1 < limits.drift <= drift,
            "the trainer and the sampler disagree on log-probabilities": 0 < limits.gap <= figures["gap"],
        }
        counts = self.memory.setdefault("counts", {}).setdefault(role, {})
        for i, (reason, hit) in enumerate(passed.items()):
            key = ("entropy", "dead", "drift", "gap")[i]
            counts[key] = counts.get(key, 0) + 1 if hit else 0
            if counts[key] >= limits.patience:
                return f"{role}: {reason} (for {limits.patience} updates)"
        return ""
