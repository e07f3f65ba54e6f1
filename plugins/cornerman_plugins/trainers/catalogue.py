"""What training enters into the catalogue. Light: imports no piece and no torch."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.trainers"


def register(registry: Registry) -> None:
    """Enter every reward, advantage, loss and schedule."""
    rewards(registry)
    advantages(registry)
    losses(registry)
    schedules(registry)


def rewards(registry: Registry) -> None:
    """Rewards."""
    registry.add("reward", "outcome", f"{AT}.rewards.outcome:outcome", doc="the attempt's score", per="sample")


def advantages(registry: Registry) -> None:
    """Advantages."""
    registry.add(
        "advantage",
        "group-zscore",
        f"{AT}.advantages.group:group_zscore",
        doc="standardised within the group",
        paper="GRPO, arXiv 2402.03300",
        per="sample",
    )


def losses(registry: Registry) -> None:
    """Losses."""
    registry.add(
        "loss",
        "grpo",
        f"{AT}.losses.clipped:clipped",
        doc="clipped ratio, averaged by sequence",
        paper="GRPO, arXiv 2402.03300",
        extra="hf",
        needs=("torch",),
        normalise="sequence",
    )


def schedules(registry: Registry) -> None:
    """Schedules."""
    registry.add(
        "schedule", "synchronous", f"{AT}.schedules.synchronous:synchronous", doc="all roles learn in every update"
    )
