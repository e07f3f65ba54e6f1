"""Advantages within groups of samples that can be compared."""

from __future__ import annotations

import numpy as np

from cornerman_plugins.trainers.batch import Floats, Ints


def group_zscore(reward: Floats, group: Ints, /, *, std: bool = True, eps: float = 1e-4) -> Floats:
    """A_i = (r_i − mean_g) / (std_g + eps), by sample. GRPO, DeepSeekMath arXiv 2402.03300, section 4.1.2.

    std: the sample's standard deviation (n − 1); False leaves the division out (Dr. GRPO, arXiv 2503.20783). A group
    of one, or one in which all fared alike, gets zeros.
    """
    _, index, size = np.unique(group, return_inverse=True, return_counts=True)
    mean = np.bincount(index, weights=reward) / size
    centred = reward - mean[index]
    if not std:
        return centred
    variance = np.bincount(index, weights=centred**2) / np.maximum(size - 1, 1)
    return centred / (np.sqrt(variance)[index] + eps)
