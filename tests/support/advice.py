"""An experiment on the countdown whose truth is known: advice helps a noisy actor, and another actor stands beside."""

from __future__ import annotations


def advice(limit: int) -> str:
    """The experiment file, on the suite's first tasks."""
    return f"""
name = "advice"
suite = "count-smoke"
trials = 2
limit = {limit}
[[method]]
name = "alone"
actor = {{ use = "noisy-gold", p = 0.6 }}
[[method]]
name = "advised"
actor = {{ use = "noisy-gold", p = 0.6 }}
critic = ["gold-advice"]
[[method]]
name = "random"
actor = "random"
"""
