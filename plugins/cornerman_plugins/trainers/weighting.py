"""How the values of tokens become one loss: weights over a whole batch, made before it is cut into micro-batches.

The loss is Σ weight · value, so micro-batches add up to exactly the loss of the batch, however they are packed.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from cornerman.errors import UsageError
from cornerman_plugins.trainers.batch import Bools, Floats, Ints, Names

Normalise = Literal["sequence", "token", "constant", "sum"]


def token_weights(
    mask: Bools, sequence: Ints, *, normalise: Normalise, sequences: int | None = None, longest: int | None = None
) -> Floats:
    """Weights of tokens [N], 0 where `mask` is false; |o_i| is the number of tokens of sequence i that count.

        sequence   1 / (S |o_i|)    GRPO, DeepSeekMath arXiv 2402.03300, equation 3
        token      1 / Σ_i |o_i|    DAPO, arXiv 2503.14476, equation 8
        constant   1 / (S L)        Dr. GRPO, arXiv 2503.20783: no bias towards short answers
        sum        1 / S            REINFORCE, RLOO: a sequence's log-probability is the sum of its tokens'

    sequence: [N], the index of every token's sequence. sequences: S, where some have no token at all; else the number
    of different indices. longest: L, the longest that a sequence may get.
    """
    counted = len(np.unique(sequence)) if sequences is None else sequences
    tokens: Floats = mask.astype(np.float64)
    if not mask.any():
        return tokens
    if normalise == "token":
        return tokens / np.count_nonzero(mask)
    if normalise == "sum":
        return tokens / counted
    if normalise == "constant":
        if longest is None:
            raise UsageError("a constant normaliser needs the longest length that a sequence may get")
        return tokens / (counted * longest)
    lengths = np.bincount(sequence, weights=tokens)
    weights: Floats = np.divide(tokens, counted * lengths[sequence], out=np.zeros_like(tokens), where=mask)
    return weights


def role_mask(role: Names, learner: str) -> Bools:
    """Tokens that a role sampled itself: what it is trained on. `role`: [N], a span's role in {actor, critic, env, …}.

    Observations, other roles' words and guidance stand in its context and never in its loss.
    """
    return np.equal(role, learner)
