"""The clipped policy-gradient surrogate of PPO, GRPO, DAPO and REINFORCE++."""

from __future__ import annotations

import torch
from torch import Tensor


def clipped(logprobs: Tensor, old: Tensor, advantage: Tensor, /, *, low: float = 0.2, high: float = 0.2) -> Tensor:
    """−min(ρA, clip(ρ, 1 − low, 1 + high)A) with ρ = π/π_old = exp(logprobs − old), by token.

    Sources: PPO, arXiv 1707.06347, equation 7; GRPO, arXiv 2402.03300, equation 3; high > low is DAPO's clip-higher,
    arXiv 2503.14476, equation 8. GRPO averages by sequence, DAPO and REINFORCE++ by token, Dr. GRPO by a constant.
    """
    ratio = torch.exp(logprobs - old)
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - low, 1 + high) * advantage)
