"""Gains: how much better the attempt became that a critique's words led to, than the one that it was about.

`before` and `score` are s_o and s_r, the scores in [0,1] of the attempt before and the refined one.
"""

from __future__ import annotations

import numpy as np

from cornerman_plugins.trainers.batch import Bools, Floats


def linear_gain(before: Floats, score: Floats, /) -> Floats:
    """r = s_r − s_o: the ablation of ECHO (arXiv 2601.06794) and Critique-RL's r_Δ (arXiv 2510.24320)."""
    return score - before


def log_gain(before: Floats, score: Floats, /, *, eta: float = 0.1) -> Floats:
    """r = ∫ ω(s) ds from s_o to s_r, with ω(s) = 1/(1 − s + η), that is ln[(1 − s_o + η) / (1 − s_r + η)].

    ECHO's saturation-aware gain, arXiv 2601.06794: the same step is worth more the less headroom is left; gains along a
    path add up, and a loss costs what the gain would have earned. Scores of 0 and 1 alone make it the linear gain times
    ln[(1 + η)/η]. The value of η was not found in what could be read of the paper: 0.1 is ours.
    """
    if eta <= 0:
        raise ValueError(f"eta is above 0, not {eta}")
    return np.log1p(eta - before) - np.log1p(eta - score)


def positive_gain(before: Floats, score: Floats, /) -> Floats:
    """r = max(s_r − s_o, 0): a critic is paid for what became better and not charged for what became worse. Ours."""
    return np.maximum(score - before, 0.0)


def success_or_gain(before: Floats, score: Floats, success: Bools, /) -> Floats:
    """r = 1 where the revision solves the task, else s_r − s_o. ICRL's reward of a critique, arXiv 2605.15224."""
    return np.where(success, 1.0, score - before)


def transition(truth: Floats, success: Bools, /, *, fixed: float = 1.0, kept: float = 0.2) -> Floats:
    """r = `fixed` for wrong → right, `kept` for right → right, 0 for what ends wrong. Critique-RL's r_corr.

    arXiv 2510.24320, one of the refinement rewards it compares. `truth`: 1 where what was criticised was right, else
    −1.
    """
    return np.where(success, np.where(truth > 0, kept, fixed), 0.0)
