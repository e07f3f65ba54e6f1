"""What this family enters into the catalogue."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.critics.on_request"


def register(registry: Registry) -> None:
    """Enter the critics that answer the actor."""
    registry.add(
        "critic",
        "cafe",
        f"{AT}.cafe:CAFE",
        doc="short feedback when the actor asks for it, never the answer",
        paper="CAFE, arXiv 2608.24794",
        basis="prompted",
        experiment="cafe",
    )
