"""Advantages of turns: by place in the attempt, by state, and by what came after."""

from __future__ import annotations

import numpy as np

from cornerman_plugins.trainers.advantages.group import joint, standardised
from cornerman_plugins.trainers.batch import Floats, Ints


def discounted(turn_reward: Floats, sample: Ints, turn: Ints, gamma: float) -> Floats:
    """G_t = Σ_{k≥t} γ^{k−t} r_k over the turns of each sample, in the order of `turn`."""
    out = np.zeros(len(turn_reward))
    following, owner = 0.0, -1
    for i in np.lexsort((-turn, sample)):
        following = turn_reward[i] + (gamma * following if sample[i] == owner else 0.0)
        out[i], owner = following, sample[i]
    return out


def turn_zscore(
    turn_reward: Floats, sample: Ints, turn: Ints, group: Ints, /, *, std: bool = True, eps: float = 1e-4
) -> Floats:
    """Rewards of turns, standardised over the samples of a group at the same turn index.

    RLAnything, arXiv 2602.02488: the advantage of R_τi is standardised over trajectories at the same step index i. A
    turn that only one sample of its group came to gets 0.
    """
    return standardised(turn_reward, joint(group[sample], turn), std=std, eps=eps)


def gigpo(
    reward: Floats,
    group: Ints,
    sample: Ints,
    turn: Ints,
    state: Ints,
    turn_reward: Floats,
    /,
    *,
    gamma: float = 0.95,
    weight: float = 1.0,
    std: bool = True,
    eps: float = 1e-4,
) -> Floats:
    """A = A_E(τ_i) + ω A_S(a_t). GiGPO, arXiv 2505.10978.

        A_E = (R(τ_i) − mean_g) / F           over the group's samples
        A_S = (G_t − mean_state) / F          over the group's turns with the same anchor state
        G_t = Σ_{k≥t} γ^{k−t} r_k,  F = std or 1

    A state met only once gives A_S = 0. γ = 0.95 and ω = 1 are the released settings. The released code can take the
    mean and deviation of A_E over turns, by which long attempts weigh more; here every attempt counts once, as in the
    paper.
    """
    whole = standardised(reward, group, std=std, eps=eps)
    returns = discounted(turn_reward, sample, turn, gamma)
    local = standardised(returns, joint(group[sample], state), std=std, eps=eps)
    return whole[sample] + weight * local


def gae(
    turn_reward: Floats, value: Floats, sample: Ints, turn: Ints, /, *, gamma: float = 1.0, lam: float = 0.95
) -> Floats:
    """A_t = Σ_k (γλ)^k δ_{t+k} with δ_t = r_t + γ V_{t+1} − V_t. GAE, arXiv 1506.02438, equation 16; V is 0 at the end.

    A truncated attempt ends like any other (ours): the suite's limit of turns is part of its task.
    """
    following = np.zeros(len(value))
    order = np.lexsort((turn, sample))
    same = sample[order][1:] == sample[order][:-1]
    following[order[:-1]] = np.where(same, value[order][1:], 0.0)
    return discounted(turn_reward + gamma * following - value, sample, turn, gamma * lam)


def cross_episode(
    turn_reward: Floats,
    sample: Ints,
    turn: Ints,
    trial: Ints,
    order: Ints,
    group: Ints,
    /,
    *,
    gamma_turn: float = 0.95,
    gamma_attempt: float = 0.6,
    std: bool = True,
    eps: float = 1e-4,
) -> Floats:
    """G_t^(n), what a turn led to in its own attempt and in those after it, standardised over the group's turns.

        G_t^(n) = Σ_{t'≥t} γ_step^{t'−t} r_t' + Σ_{m>n} γ_traj^{m−n} g_0^(m)

    LaMer, arXiv 2512.16848; g_0^(m) is the discounted return of attempt m of the trial. γ_traj = 0.6 is its value for
    Sokoban and WebShop (0.9 for MineSweeper); γ_step = 0.95 and the standardisation are ours: the paper hands the
    return to GiGPO.
    """
    own = discounted(turn_reward, sample, turn, gamma_turn)
    opening = np.zeros(len(trial))
    first = np.lexsort((turn, sample))
    owners, at = np.unique(sample[first], return_index=True)
    opening[owners] = own[first[at]]
    later = np.array(
        [
            sum(
                gamma_attempt ** (order[j] - order[i]) * opening[j]
                for j in np.flatnonzero(trial == trial[i])
                if order[j] > order[i]
            )
            for i in range(len(trial))
        ],
        np.float64,
    )
    return standardised(own + later[sample], group[sample], std=std, eps=eps)
