"""The outcome itself."""

from __future__ import annotations

import numpy as np

from cornerman_plugins.trainers.batch import Bools, Floats


def outcome(score: Floats, /) -> Floats:
    """r = s, the graded score in [0,1] of the attempt, which is 0 or 1 where the environment grades no parts.

    For a critique or a reflection it is the score of the attempt that its words led to: ERL's reflections get r₂
    (arXiv 2602.13949), ECHO's refined attempts s_r (arXiv 2601.06794).
    """
    return score


def signed_success(success: Bools, /) -> Floats:
    """r = 1 where the task was solved, else −1.

    RLAnything's O_τ (arXiv 2602.02488), and the reward of an experience by the episode that it guided (Complementary
    RL, arXiv 2603.17621).
    """
    return np.where(success, 1.0, -1.0)
