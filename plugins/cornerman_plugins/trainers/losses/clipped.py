"""Clipped policy-gradient surrogates: PPO's, and those that share its ratio."""

from __future__ import annotations

import torch
from torch import Tensor


def clipped(logprobs: Tensor, old: Tensor, advantage: Tensor, /, *, low: float = 0.2, high: float = 0.2) -> Tensor:
    """−min(ρA, clip(ρ, 1 − low, 1 + high) A) with ρ = π/π_old = exp(logprobs − old), by token.

    PPO, arXiv 1707.06347, equation 7. GRPO averages it by sequence (arXiv 2402.03300, equation 3), Dr. GRPO by a
    constant (arXiv 2503.20783), REINFORCE++ (arXiv 2501.03262) and DAPO by token; `high` above `low` is DAPO's
    clip-higher (arXiv 2503.14476, equation 8).
    """
    return surrogate(torch.exp(logprobs - old), advantage, low, high)


def surrogate(ratio: Tensor, advantage: Tensor, low: float, high: float) -> Tensor:
    """The pessimistic one of the unclipped and the clipped objective, as a loss."""
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - low, 1 + high) * advantage)


def sequence_clipped(
    logprobs: Tensor, old: Tensor, advantage: Tensor, sequence: Tensor, /, *, low: float = 0.2, high: float = 0.2
) -> Tensor:
    """The clipped surrogate with one ratio for a whole sequence, ρ = exp Σ_t (log π − log π_old), at all of its tokens.

    What TRL makes of RLOO (arXiv 2402.14740) for several updates on the same samples. Averaging by sequence makes it
    the mean over sequences. The sums need all tokens of a sequence, which must not be cut into several micro-batches;
    where one update is made of each sample, REINFORCE on sequences (`rloo`) has the same gradient and no such need.
    """
    total = torch.zeros(int(sequence.max()) + 1, dtype=logprobs.dtype, device=logprobs.device)
    total = total.index_add(0, sequence, logprobs - old)
    return surrogate(torch.exp(total)[sequence], advantage, low, high)


def cispo(logprobs: Tensor, old: Tensor, advantage: Tensor, /, *, most: float = 5.0) -> Tensor:
    """−sg(min(ρ, most)) A log π: the weight is clipped and every token keeps its gradient.

    CISPO, MiniMax-M1, arXiv 2506.13585, equation 4; Complementary RL trains its extractor so (arXiv 2603.17621). `most`
    is 1 + ε_high, whose value in both was not found: 5 is the one that TRL documents.
    """
    return -torch.exp(logprobs - old).clamp(max=most).detach() * advantage * logprobs


def icrl(
    logprobs: Tensor,
    old: Tensor,
    advantage: Tensor,
    guided: Tensor,
    unguided: Tensor,
    /,
    *,
    low: float = 0.2,
    high: float = 0.2,
    most: float = 2.0,
) -> Tensor:
    """min(w, w_max) times the clipped surrogate, with w = π(y|q) / π(y|q, c) when it was sampled.

    ICRL, arXiv 2605.15224: tokens written with a critique c in the prompt count as much as the policy would have
    written them without it, and ρ is computed without it. Where no critique was given, the two are equal and w = 1. The
    values of ε and w_max were not found: 0.2 and 2 are ours.
    """
    weight = torch.exp(unguided - guided).clamp(max=most).detach()
    return weight * clipped(logprobs, old, advantage, low=low, high=high)
