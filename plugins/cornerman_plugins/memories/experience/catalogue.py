"""What this family enters into the catalogue."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.memories.experience"


def register(registry: Registry) -> None:
    """Enter the memories of experience."""
    for name, target, doc, paper, basis in [
        ("cer", "cer:CER", "dynamics and skills, chosen by a model", "CER, arXiv 2506.06698", "prompted"),
        ("expel", "expel:ExpeL", "insights with votes", "ExpeL, arXiv 2308.10144", "prompted"),
        (
            "slea-rl",
            "slea_rl:SLEARL",
            "steps, found by like observations",
            "SLEA-RL, arXiv 2603.18079",
            "rule",
        ),
        ("evolver", "evolver:EvolveR", "principles, scored by how they fared", "EvolveR, arXiv 2510.16079", "prompted"),
        ("cascade-bandit", "agent_kb:CascadeBandit", "cases, shown by a bandit", "CASCADE, arXiv 2605.06702", "rule"),
        ("agent-kb", "agent_kb:AgentKB", "cases that agents share", "Agent-KB, arXiv 2507.06229", "rule"),
        (
            "complementary-rl",
            "complementary:ComplementaryRL",
            "an extractor with credit by use",
            "Complementary RL, arXiv 2603.17621",
            "prompted",
        ),
    ]:
        registry.add(
            "memory",
            name,
            f"{AT}.{target}",
            doc=doc,
            paper=paper,
            basis="rule" if basis == "rule" else "prompted",
            experiment=name if basis == "prompted" else "experience",
        )
