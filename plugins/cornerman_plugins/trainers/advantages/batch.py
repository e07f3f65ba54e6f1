"""Advantages against the whole batch."""

from __future__ import annotations

import numpy as np

from cornerman_plugins.trainers.advantages.group import joint, standardised
from cornerman_plugins.trainers.batch import Floats, Ints, Names


def batch_mean(reward: Floats, role: Names, /, *, std: bool = False, eps: float = 1e-8) -> Floats:
    """A_i = r_i − the mean reward of the batch's samples of the same role; `std` divides by their deviation.

    Complementary RL, arXiv 2603.17621 (A = r − batch mean); with `std`, REINFORCE++'s global normalisation, arXiv
    2501.03262.
    """
    return standardised(reward, joint(role), std=std, eps=eps)


def kl_to_go(
    reward: Floats, sample: Ints, token_turn: Ints, old: Floats, reference: Floats, /, *, beta: float = 0.01
) -> Floats:
    """A_t = r − β Σ_{i≥t} [log π_old(i) − log π_ref(i)] by token, then standardised over the batch's tokens.

    REINFORCE++, arXiv 2501.03262: the KL penalty is part of every token's reward and the baseline that of the batch.
    The sum goes over the rest of the sample, in the order of the tokens. β = 0.01 is ours.
    """
    owner = sample[token_turn]
    penalty = beta * (old - reference)
    order = np.argsort(owner, kind="stable")
    total = np.cumsum(penalty[order])
    ends = np.searchsorted(owner[order], owner[order], side="right") - 1
    to_go = np.empty_like(penalty)
    to_go[order] = total[ends] - total + penalty[order]
    return standardised(reward[owner] - to_go, np.zeros(len(owner), np.int64), eps=1e-8)
