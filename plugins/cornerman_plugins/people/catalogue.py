"""What this family enters into the catalogue."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.people"


def register(registry: Registry) -> None:
    """Enter the parts that people play."""
    registry.add("actor", "human", f"{AT}.actor:Human", doc="a person at the terminal", paper="ours", basis="person")
    registry.add(
        "critic",
        "human-critic",
        f"{AT}.critic:HumanCritic",
        doc="a person who watches and speaks",
        paper="ours; Inner Monologue's human feedback, arXiv 2207.05608",
        basis="person",
    )
    registry.add(
        "critic",
        "hila",
        f"{AT}.critic:HILA",
        doc="an expert whom the actor may ask, at a price",
        paper="HILA, human-in-the-loop multi-agent collaboration",
        basis="person",
        experiment="hila",
    )
