"""Estimates of KL(π‖π_ref) from sampled tokens, the penalty beside a loss."""

from __future__ import annotations

from typing import Literal

from torch import Tensor, expm1

Estimator = Literal["k1", "k2", "k3"]


def kl(logprobs: Tensor, reference: Tensor, *, estimator: Estimator = "k3") -> Tensor:
    """By token, with d = log π − log π_ref. Schulman, "Approximating KL divergence" (2020).

        k1   d                  unbiased, of either sign; as a loss its expected gradient is zero, so it belongs into
                                the reward (`kl-to-go`)
        k2   d² / 2             its gradient is that of the KL where π sampled
        k3   exp(−d) + d − 1    unbiased, never negative; GRPO's, arXiv 2402.03300, equation 4

    Tokens are taken to be sampled by π: after several updates on the same samples all three are off.
    """
    difference = logprobs - reference
    if estimator == "k1":
        return difference
    if estimator == "k2":
        return difference.square() / 2
    return expm1(-difference) + difference
