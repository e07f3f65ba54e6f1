"""The outcome itself."""

from __future__ import annotations

from cornerman_plugins.trainers.batch import Floats


def outcome(score: Floats, /) -> Floats:
    """r = s, the graded score in [0,1] of the attempt, which is 0 or 1 where the environment grades no parts.

    For a critique: the score of the attempt that its words led to, as ERL's reflections get r_2 (arXiv 2602.13949).
    """
    return score
