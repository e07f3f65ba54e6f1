"""What comes after a first advantage in a chain: shares of it moved, masked or amplified."""

from __future__ import annotations

import numpy as np

from cornerman_plugins.trainers.batch import AFTER, BEFORE, Floats, Ints
from cornerman_plugins.trainers.rewards.call_skip import effects


def feedback_shaping(
    advantage: Floats,
    sample: Ints,
    segment: Ints,
    score: Floats,
    group: Ints,
    calls: Ints,
    /,
    *,
    strength: float = 0.5,
    bound: float = 0.5,
) -> Floats:
    """Credit moved from before the first request to after the feedback, where asking paid. CAFE, arXiv 2608.24794.

    Where C_i = 1, A_i > 0 and g_i = clip(û, 0, b) > 0: turns before the first request get max(A_i − λ g_i, 0), the
    request A_i, turns after it A_i + λ g_i. All others keep theirs. λ = 0.5 and b = 0.5 are the paper's.
    """
    gain = np.clip(effects(score, group, calls), 0.0, bound)[sample]
    shaped = (calls[sample] > 0) & (advantage > 0) & (gain > 0)
    less = np.maximum(advantage - strength * gain, 0.0)
    moved = np.where(segment == BEFORE, less, np.where(segment == AFTER, advantage + strength * gain, advantage))
    return np.where(shaped, moved, advantage)


def pivot_mask(advantage: Floats, sample: Ints, turn: Ints, base: Ints, pivot: Ints, /) -> Floats:
    """0 for the turns before the pivot, in a retry and in its base attempt: the prefix that they share says nothing.

    R3L's pivotal credit, arXiv 2601.03715. A base attempt with several retries is masked up to the earliest of their
    pivots (ours: the paper pairs one with one).
    """
    start = np.where(pivot >= 0, pivot, 0)
    retries = np.flatnonzero((base >= 0) & (pivot >= 0))
    earliest = np.full(len(pivot), np.iinfo(np.int64).max)
    np.minimum.at(earliest, base[retries], pivot[retries])
    retried = earliest < np.iinfo(np.int64).max
    start[retried] = np.maximum(start[retried], earliest[retried])
    return np.where(turn < start[sample], 0.0, advantage)


def amplify(advantage: Floats, sample: Ints, reward: Floats, group: Ints, /, *, alpha: float = 3.0) -> Floats:
    """Â = α for the best of a group, αA where A > 0, else A. R3L's positive amplification, arXiv 2601.03715, α = 3.

    A group in which all fared alike is left as it is (ours): its best are its worst as well. So is a turn with A = 0,
    which a mask before may have put there.
    """
    _, index = np.unique(group, return_inverse=True)
    top, bottom = np.full(len(reward), -np.inf), np.full(len(reward), np.inf)
    np.maximum.at(top, index, reward)
    np.minimum.at(bottom, index, reward)
    best = ((reward == top[index]) & (top > bottom)[index])[sample]
    return np.where(advantage == 0, 0.0, np.where(best, alpha, np.where(advantage > 0, alpha * advantage, advantage)))
