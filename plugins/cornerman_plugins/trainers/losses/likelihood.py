"""Losses on the log-probabilities of what was written, without a ratio."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional


def sft(logprobs: Tensor, /) -> Tensor:
    """−log π: the cross-entropy of what is imitated, such as critiques: CGI's −E[log π(c_t | τ_t, a_t, e)].

    CGI, arXiv 2503.16024.
    """
    return -logprobs


def reinforce(logprobs: Tensor, advantage: Tensor, /) -> Tensor:
    """−A log π. REINFORCE (Williams 1992), equation 4.

    Summed over a sequence it is RLOO (arXiv 2402.14740), which takes the whole answer for one action. With advantages
    of 0 and 1 it imitates what was chosen: RAFT (arXiv 2304.06767), ERL's distillation (arXiv 2602.13949). R3L (arXiv
    2601.03715) trains so with its amplified advantages, without ratio and KL; RLTF (arXiv 2602.02482) with the
    revision's advantage over the first attempts.
    """
    return -advantage * logprobs


def dpo(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, /, *, beta: float = 0.1
) -> Tensor:
    """−log σ(β [(log π(y⁺) − log π_ref(y⁺)) − (log π(y⁻) − log π_ref(y⁻))]), by pair.

    DPO, arXiv 2305.18290, equation 7; β = 0.1 as TAIScore's actor has it (arXiv 2608.30397).
    """
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    return -functional.logsigmoid(beta * margin)
