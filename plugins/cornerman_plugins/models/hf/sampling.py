"""Draw tokens from logits: greedy, or by temperature and top-p, each sample from a generator of its own."""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Draw:
    """One token with its log-probability and the entropy of its distribution, in nats.

    Both are of the model's own distribution (temperature 1, nothing cut off), whatever the token was drawn from.
    """

    index: int
    logprob: float
    entropy: float


def log_probabilities(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities [n, v] and entropies [n] of logits [n, v], in nats."""
    logprobs = torch.log_softmax(logits, dim=-1)
    # A token of probability 0 adds 0 to the entropy, where 0 times -inf would not.
    finite = logprobs.clamp_min(torch.finfo(logprobs.dtype).min)
    return logprobs, -torch.linalg.vecdot(logprobs.exp(), finite)


def draw(logits: torch.Tensor, temperature: float, top_p: float, generators: list[random.Random]) -> list[Draw]:
    """One token for each row of logits [n, v] and its generator; temperature 0 takes the likeliest.

    A row's token depends on its logits and its generator only, never on the other rows.
    """
    logprobs, entropies = log_probabilities(logits)
    if temperature == 0:
        chosen = logits.argmax(dim=-1)
    else:
        uniforms = torch.tensor([g.random() for g in generators], dtype=torch.float64, device=logits.device)
        chosen = _invert(torch.softmax(logits / temperature, dim=-1), top_p, uniforms)
    picked = logprobs.gather(1, chosen[:, None])[:, 0]
    return [Draw(*values) for values in zip(chosen.tolist(), picked.tolist(), entropies.tolist(), strict=True)]


def _invert(probabilities: torch.Tensor, top_p: float, uniforms: torch.Tensor) -> torch.Tensor:
    """Inverse of the cumulative distribution at the uniforms [n], over the nucleus of `probabilities` [n, v].

    Nucleus: the smallest set of likeliest tokens that holds at least `top_p` (Holtzman et al., ICLR 2020, section 3.1).
    """
    order = None
    if top_p < 1:
        probabilities, order = probabilities.sort(dim=-1, descending=True, stable=True)
        before = probabilities.cumsum(-1, dtype=torch.float64) - probabilities
        probabilities = probabilities.masked_fill(before >= top_p, 0)
        probabilities[:, 0] = probabilities[:, 0].clamp_min(torch.finfo(probabilities.dtype).tiny)
    cumulative = probabilities.cumsum(-1, dtype=torch.float64)
    # `right` skips what has no probability; rounding may carry u * total to the total itself, hence the clamp.
    place = torch.searchsorted(cumulative, (uniforms * cumulative[:, -1])[:, None], right=True)
    place = place.clamp_max(probabilities.shape[-1] - 1)
    return (place if order is None else order.gather(1, place))[:, 0]
