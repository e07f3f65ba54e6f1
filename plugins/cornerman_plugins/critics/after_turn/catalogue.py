"""What this family enters into the catalogue."""

from __future__ import annotations

from typing import Literal

from cornerman.registry import Registry

Basis = Literal["rule", "prompted", "trained"]
AT = "cornerman_plugins.critics.after_turn"


def register(registry: Registry) -> None:
    """Enter the critics that speak after turns, on what has been done."""
    critics: list[tuple[str, str, str, str, Basis]] = [
        (
            "supervisor",
            "supervisor:Supervisor",
            "looks for twelve failures every few turns, and guides",
            "critic-training (repository), intra-trajectory critic for code agents",
            "prompted",
        ),
        (
            "inner-monologue",
            "inner_monologue:InnerMonologue",
            "says whether the action succeeded and what is there",
            "Inner Monologue, arXiv 2207.05608",
            "rule",
        ),
        (
            "rlanything",
            "rlanything:RLAnything",
            "several verdicts on every turn, not told to the actor",
            "RLAnything, arXiv 2602.02488",
            "prompted",
        ),
        (
            "critic-rubrics",
            "critic_rubrics:CriticRubrics",
            "labels an attempt's behaviours, picks and stops by them",
            "Critic Rubrics, arXiv 2603.03800",
            "rule",
        ),
        (
            "expseek",
            "expseek:ExpSeek",
            "guidance out of a bank of experience where the actor is unsure",
            "ExpSeek, arXiv 2601.08605",
            "prompted",
        ),
    ]
    for name, target, doc, paper, basis in critics:
        registry.add("critic", name, f"{AT}.{target}", doc=doc, paper=paper, basis=basis, experiment=name)
