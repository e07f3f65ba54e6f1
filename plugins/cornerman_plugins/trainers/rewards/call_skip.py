"""CAFE's reward: an agent that asks for feedback is paid by what asking was worth on this task."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from cornerman.stats.call_skip import Play, call_skip_effects
from cornerman_plugins.trainers.batch import Floats, Ints


def effects(score: Floats, group: Ints, calls: Ints) -> Floats:
    """û(x) of every sample's group; see `cornerman.stats.call_skip`."""
    plays: defaultdict[str, list[Play]] = defaultdict(list)
    for reward, task, count in zip(score.tolist(), group.tolist(), calls.tolist(), strict=True):
        plays[str(task)].append(Play(reward, count > 0))
    found = call_skip_effects(plays)
    return np.array([found[str(task)] for task in group.tolist()], np.float64)


def call_skip_utility(score: Floats, group: Ints, calls: Ints, /, *, beta: float = 0.5, gamma: float = 0.05) -> Floats:
    """R_i = r_i + β C_i û(x) − γ max(n_i − 1, 0). CAFE, arXiv 2608.24794, the call–skip feedback effect.

    r_i is the score, n_i the number of requests, C_i = 1 where there was one, and û(x) the mean score of the samples of
    the group that asked less that of those that did not; the same difference over the batch where the group has only
    one kind; 0 where the batch has. β = 0.5 and γ = 0.05 are the paper's.
    """
    asked = calls > 0
    return score + beta * asked * effects(score, group, calls) - gamma * np.maximum(calls - 1, 0)
