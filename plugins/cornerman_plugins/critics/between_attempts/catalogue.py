"""What this family enters into the catalogue."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.critics.between_attempts"


def register(registry: Registry) -> None:
    """Enter the critics that look back on an attempt, and the protocol and memory that go with them."""
    for name, target, doc, paper, experiment in [
        ("echo", "echo:Echo", "several diagnoses of one attempt", "ECHO, arXiv 2601.06794", "echo"),
        ("erl", "erl:ERL", "better instructions after a failed attempt", "ERL, arXiv 2602.13949", "erl"),
        ("r3l", "r3l:R3L", "outcome, causes, and the turn to retry from", "R3L, arXiv 2601.03715", "r3l"),
        (
            "critique-rl",
            "judged:CritiqueRL",
            "steps judged, then the result",
            "Critique-RL, arXiv 2510.24320",
            "critique-rl",
        ),
        ("ctrl", "judged:CTRL", "analysis, improvements, judgement", "CTRL, arXiv 2502.03492", "ctrl"),
        (
            "agent-r",
            "agent_r:AgentR",
            "the first bad action, and a way on from there",
            "Agent-R, arXiv 2501.11425",
            "agent-r",
        ),
    ]:
        registry.add("critic", name, f"{AT}.{target}", doc=doc, paper=paper, basis="prompted", experiment=experiment)
    for name, target, doc in [
        ("majority-attempt", "pickers:MajorityAttempt", "picks an attempt by majority vote over last actions"),
        ("random-attempt", "pickers:RandomAttempt", "picks an attempt by lot"),
    ]:
        registry.add(
            "critic",
            name,
            f"{AT}.{target}",
            doc=doc,
            paper="Self-Consistency, arXiv 2203.11171" if name.startswith("majority") else "a control of ours",
            basis="rule",
            experiment="resampling",
        )
    registry.add(
        "protocol",
        "cascade",
        "cornerman_plugins.protocols.cascade:Cascade",
        doc="one attempt, then one for each critique of it",
        paper="ECHO, arXiv 2601.06794",
        basis="rule",
        experiment="echo",
    )
    registry.add(
        "memory",
        "erl-memory",
        "cornerman_plugins.memories.erl:ERLMemory",
        doc="the instructions that last helped, for erl",
        paper="ERL, arXiv 2602.13949",
        basis="rule",
        experiment="erl",
    )
