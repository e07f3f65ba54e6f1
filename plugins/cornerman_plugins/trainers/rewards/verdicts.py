"""Rewards of what a critic says to be right or wrong."""

from __future__ import annotations

import numpy as np

from cornerman_plugins.trainers.batch import Bools, Floats, Ints


def verdict_match(verdict: Floats, truth: Floats, /, *, miss: float = 0.0) -> Floats:
    """r_dis = 1 where the verdict is what was true, else `miss`; an unreadable verdict is a miss.

    Critique-RL's stage I, arXiv 2510.24320: r_dis = 1[f(x,y,c) = R(x,y)]. Its code pays −1 for a miss (`miss=-1`).
    """
    return np.where(verdict == truth, 1.0, miss)


def refine_verdict(score: Floats, verdict: Floats, truth: Floats, /, *, beta: float = 0.2, miss: float = 0.0) -> Floats:
    """r = r_refine + β₁ r_dis: the score of the refined answer and the critic's verdict on the first one.

    Critique-RL's stage II, arXiv 2510.24320, β₁ = 0.2; the KL to the policy of stage I belongs to the loss.
    """
    return score + beta * verdict_match(verdict, truth, miss=miss)


def gated_outcome(score: Floats, verdict: Floats, /) -> Floats:
    """r = s where the critique ends in a readable verdict, else 0. CTRL, arXiv 2502.03492."""
    return np.where(np.isnan(verdict), 0.0, score)


def step_verdicts(success: Bools, sample: Ints, turn_verdict: Floats, /, *, weight: float = 1.0) -> Floats:
    """R_τi = O_τ + (λ/m) Σ_j S_τi,j, by turn: the outcome ±1 and the mean of the turn's m verdicts in {−1, 1}.

    RLAnything's reward of the policy, arXiv 2602.02488, λ = 1.
    """
    return np.where(success, 1.0, -1.0)[sample] + weight * turn_verdict


def score_verdict(success: Bools, verdict: Floats, group: Ints, /, *, weight: float = 1.0) -> Floats:
    """r = R_τi S_τi,j: an evaluation's verdict times the reward of the turn that it evaluates.

    RLAnything's reward of the reward model, arXiv 2602.02488. A group holds the m evaluations of one turn, whose mean
    verdict is part of R_τi = O_τ + λ mean_j S_τi,j. An unreadable verdict counts as 0 in it and earns 0 (ours).
    """
    said = np.nan_to_num(verdict)
    _, index, size = np.unique(group, return_inverse=True, return_counts=True)
    mean = np.bincount(index, weights=said) / size
    return (np.where(success, 1.0, -1.0) + weight * mean[index]) * said
