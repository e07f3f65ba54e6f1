"""A teacher's distribution over the next token, learned by a student."""

from __future__ import annotations

from typing import Literal

from torch import Tensor
from torch.nn import functional


def distill(
    logits: Tensor,
    teacher: Tensor,
    /,
    *,
    direction: Literal["forward", "reverse"] = "forward",
    temperature: float = 1.0,
) -> Tensor:
    """T² KL between teacher and student at temperature T, by token: [N, V] twice → [N].

    forward: KL(teacher‖student), Hinton et al., arXiv 1503.02531, covers what the teacher might say. reverse:
    KL(student‖teacher), on-policy distillation (GKD, arXiv 2306.13649), keeps to what it says most. The same model with
    the critique in its prompt is the teacher of context distillation. The teacher gets no gradient.
    """
    student = functional.log_softmax(logits / temperature, dim=-1)
    master = functional.log_softmax(teacher.detach() / temperature, dim=-1)
    if direction == "reverse":
        student, master = master, student
    return temperature**2 * (master.exp() * (master - student)).sum(-1)
