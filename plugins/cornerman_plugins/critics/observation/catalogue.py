"""What this family enters into the catalogue."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.critics.observation"


def register(registry: Registry) -> None:
    """Enter the critics that speak beside observations."""
    registry.add(
        "critic",
        "fee",
        f"{AT}.fee:FEE",
        doc="hints beside observations, in training only",
        paper="Feedback-Enriched Environments, arXiv 2609.08404",
        basis="rule",
        experiment="fee",
    )
    registry.add(
        "critic",
        "llf-bench",
        f"{AT}.llf_bench:LLFBench",
        doc="reward, hindsight and future feedback from gold",
        paper="LLF-Bench, arXiv 2312.06853",
        basis="rule",
        experiment="llf-bench",
    )
