"""Advantages within groups of samples that can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cornerman_plugins.trainers.batch import Floats, Ints, Names


def joint(*keys: npt.NDArray[Any]) -> Ints:
    """One number for every combination of keys: equal where all of them are."""
    found = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        _, index = np.unique(key, return_inverse=True)
        _, found = np.unique(found * (len(index) + 1) + index, return_inverse=True)
    return found


def centred(values: Floats, group: Ints) -> Floats:
    """Values less the mean of their group."""
    _, index, size = np.unique(group, return_inverse=True, return_counts=True)
    mean = np.bincount(index, weights=values) / size
    out: Floats = values - mean[index]
    even = np.isclose(values, mean[index], rtol=1e-12, atol=1e-12)  # rounding of a mean is no difference
    return np.where(even, 0.0, out)


def standardised(values: Floats, group: Ints, *, std: bool = True, eps: float = 1e-4) -> Floats:
    """Values less the mean of their group, over the sample's standard deviation (n − 1) and eps.

    Zeros for a group of one and for one whose values are all the same. std: False leaves the division out.
    """
    apart = centred(values, group)
    if not std:
        return apart
    _, index, size = np.unique(group, return_inverse=True, return_counts=True)
    variance = np.bincount(index, weights=apart**2) / np.maximum(size - 1, 1)
    return apart / (np.sqrt(variance)[index] + eps)


def group_zscore(reward: Floats, group: Ints, /, *, std: bool = True, eps: float = 1e-4) -> Floats:
    """A_i = (r_i − mean_g) / (std_g + ε). GRPO, DeepSeekMath arXiv 2402.03300, section 4.1.2.

    std: False leaves the division out (Dr. GRPO, arXiv 2503.20783). ε = 1e-4 as in TRL. A group of one, or one in which
    all fared alike, gets zeros.
    """
    return standardised(reward, group, std=std, eps=eps)


def role_zscore(reward: Floats, group: Ints, role: Names, /, *, std: bool = True, eps: float = 1e-4) -> Floats:
    """`group-zscore` among the samples of one group and one role.

    Role-wise advantages of ICRL (arXiv 2605.15224) and ERL's three roles (arXiv 2602.13949), where one model plays
    several.
    """
    return standardised(reward, joint(group, role), std=std, eps=eps)


def leave_one_out(reward: Floats, group: Ints, /) -> Floats:
    """A_i = r_i − (1/(n − 1)) Σ_{j≠i} r_j, which is n/(n − 1) times (r_i − mean_g). RLOO, arXiv 2402.14740.

    A group of one has nobody to be compared with, and gets 0 (ours).
    """
    _, index, size = np.unique(group, return_inverse=True, return_counts=True)
    scale = size / np.maximum(size - 1, 1)
    return centred(reward, group) * scale[index]


def best_of_group(reward: Floats, group: Ints, /, *, least: float = 0.0) -> Floats:
    """A = 1 for the best sample of each group, if its reward is above `least`, else 0: what is imitated.

    RAFT, arXiv 2304.06767, which imitates the best of K answers. Ties go to the first. `least` is ours.
    """
    order = np.lexsort((np.arange(len(reward)), -reward, group))
    _, first = np.unique(group[order], return_index=True)
    chosen = order[first]
    out = np.zeros(len(reward))
    out[chosen] = reward[chosen] > least
    return out


def above(reward: Floats, /, *, least: float = 0.0) -> Floats:
    """A = 1[r > least]: every sample that was good enough is imitated.

    ERL's distillation of second attempts, 1(r₂ > 0), arXiv 2602.13949.
    """
    return (reward > least).astype(np.float64)
