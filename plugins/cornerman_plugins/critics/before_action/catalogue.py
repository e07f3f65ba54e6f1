"""What this family enters into the catalogue."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.critics.before_action"


def register(registry: Registry) -> None:
    """Enter the critics that judge actions before they are done."""
    registry.add(
        "critic",
        "cgi",
        f"{AT}.cgi:CGI",
        doc="grades every candidate and suggests how to revise it",
        paper="CGI, arXiv 2503.16024",
        basis="prompted",
        experiment="cgi",
    )
    registry.add(
        "critic",
        "dgap",
        f"{AT}.dgap:DGAP",
        doc="scores every candidate from 0 to 10 without a word on why",
        paper="DGAP, ICLR 2025; the numeric control of CGI",
        basis="prompted",
        experiment="cgi",
    )
    registry.add(
        "critic",
        "gui-critic-r1",
        f"{AT}.gui_critic_r1:GUICriticR1",
        doc="lets an action through or sends it back with a suggestion",
        paper="GUI-Critic-R1, arXiv 2506.04614",
        basis="prompted",
        experiment="gui-critic-r1",
    )
    registry.add(
        "critic",
        "cast",
        f"{AT}.cast:CAST",
        doc="checks tool calls against the domain's policy",
        paper="CAST, arXiv 2608.30147",
        basis="prompted",
        experiment="cast",
    )
    registry.add(
        "critic",
        "gaia",
        f"{AT}.gaia:GAIA",
        doc="picks the candidate that is most probably right",
        paper="GAIA, arXiv 2601.18197",
        basis="prompted",
        experiment="gaia",
    )
    registry.add(
        "critic",
        "self-consistency",
        f"{AT}.pickers:SelfConsistency",
        doc="picks by majority vote of the actor's own samples",
        paper="Self-Consistency, arXiv 2203.11171",
        basis="rule",
        experiment="self-consistency",
    )
    registry.add(
        "critic",
        "random-pick",
        f"{AT}.pickers:RandomPick",
        doc="picks a random candidate: the control of best-of-N",
        paper="the control of GAIA, arXiv 2601.18197",
        basis="rule",
        experiment="gaia",
    )
    registry.add(
        "critic",
        "self-refine",
        f"{AT}.self_refine:SelfRefine",
        doc="criticises the actor's own action until nothing is left to improve",
        paper="Self-Refine, arXiv 2303.17651",
        basis="prompted",
        experiment="self-refine",
    )
