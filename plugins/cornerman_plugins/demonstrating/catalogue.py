"""What this family enters into the catalogue."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.demonstrating"


def register(registry: Registry) -> None:
    """Enter the actor and the critic that show a model what to do and say."""
    registry.add(
        "actor",
        "demonstrate-action",
        f"{AT}.actor:DemonstrateAction",
        doc="gold with slips, follows advice; for a model to imitate (privileged)",
    )
    registry.add(
        "critic",
        "demonstrate-advice",
        f"{AT}.critic:DemonstrateAdvice",
        doc="the sentence that names most of what wins, or any; for a model to imitate (privileged)",
        basis="rule",
    )
