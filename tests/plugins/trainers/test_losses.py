"""Every loss by hand, with its gradient."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch", reason="losses need the extra 'hf'")

from torch import Tensor  # noqa: E402

from cornerman_plugins.trainers.losses.clipped import cispo, clipped, icrl, sequence_clipped  # noqa: E402
from cornerman_plugins.trainers.losses.distillation import distill  # noqa: E402
from cornerman_plugins.trainers.losses.kl import kl  # noqa: E402
from cornerman_plugins.trainers.losses.likelihood import dpo, reinforce, sft  # noqa: E402


def values(*numbers: float) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def ratios(*numbers: float) -> Tensor:
    """Log-probabilities whose ratios to `old` = 0 are the numbers."""
    return values(*(math.log(n) for n in numbers)).requires_grad_()


def gradient(function: Callable[[Tensor], Tensor], at: Tensor) -> list[float]:
    """The gradient of the sum."""
    [found] = torch.autograd.grad(function(at).sum(), at)
    return [float(x) for x in found]


def test_the_clipped_surrogate_and_its_gradient_by_hand() -> None:
    # A = 1: ρ = 1.1 is free, −1.1; ρ = 1.5 is cut at 1.2; ρ = 0.5 is no gain to be cut, −0.5.
    # A = −1: ρ = 0.5 is cut at 0.8; ρ = 1.5 is not, 1.5.
    logprobs, advantage, old = ratios(1.1, 1.5, 0.5, 0.5, 1.5), values(1, 1, 1, -1, -1), torch.zeros(5)
    got = clipped(logprobs, old, advantage)
    assert got.tolist() == pytest.approx([-1.1, -1.2, -0.5, 0.8, 1.5])
    # dρ/d log π = ρ, and nothing where the clip holds
    assert gradient(lambda x: clipped(x, old, advantage), logprobs) == pytest.approx([-1.1, 0, -0.5, 0, 1.5])


def test_clip_higher_leaves_more_room_above() -> None:
    got = clipped(ratios(1.25, 1.5), torch.zeros(2), values(1, 1), high=0.28)
    assert got.tolist() == pytest.approx([-1.25, -1.28])


def test_a_sequence_can_have_one_ratio() -> None:
    # sequence 1 has ρ = 1.1 · 1.05 = 1.155, sequence 0 has 2 · 0.55 = 1.1, each at both of its tokens
    logprobs, sequence = ratios(1.1, 2.0, 1.05, 0.55), torch.tensor([1, 0, 1, 0])
    got = sequence_clipped(logprobs, torch.zeros(4), values(1, 1, 1, 1), sequence)
    assert got.tolist() == pytest.approx([-1.155, -1.1, -1.155, -1.1])


def test_on_policy_one_ratio_for_a_sequence_is_reinforce_on_sequences() -> None:
    logprobs, sequence, advantage = values(-1, -2, -3).requires_grad_(), torch.tensor([0, 0, 1]), values(2, 2, -1)
    mean = values(1 / 4, 1 / 4, 1 / 2)  # by sequence: two of them, with two tokens and one
    ratio = gradient(lambda x: mean * sequence_clipped(x, x.detach(), advantage, sequence), logprobs)
    summed = gradient(lambda x: reinforce(x, advantage) / 2, logprobs)  # by sum: 1/S
    assert ratio == pytest.approx([-1, -1, 0.5])  # −A/S for every token
    assert summed == pytest.approx(ratio)


def test_cispo_cuts_the_weight_and_keeps_the_gradient() -> None:
    logprobs, advantage, old = ratios(2, 9), values(1, -1), torch.zeros(2)
    assert gradient(lambda x: cispo(x, old, advantage, most=5.0), logprobs) == pytest.approx([-2, 5])


def test_icrl_counts_what_would_not_have_been_written_without_the_critique_for_less() -> None:
    # w = 0.5/1 and 3/1 cut at 2; ρ = 1 where old is the policy without the critique
    logprobs = values(0, 0).requires_grad_()
    guided, unguided = values(0, 0), values(math.log(0.5), math.log(3))
    got = icrl(logprobs, torch.zeros(2), values(1, 1), guided, unguided)
    assert got.tolist() == pytest.approx([-0.5, -2])
    assert not unguided.requires_grad


def test_imitation_and_reinforcement_by_hand() -> None:
    logprobs = values(-1, -2).requires_grad_()
    assert sft(logprobs).tolist() == [1, 2]
    assert reinforce(logprobs, values(3, 0)).tolist() == [3, 0]
    assert gradient(lambda x: reinforce(x, values(3, 0)), logprobs) == [-3, 0]


def test_dpo_by_hand() -> None:
    # β = 0.1, margin (−1 + 2) − (−3 + 3) = 1: −ln σ(0.1) = 0.644397, slope −β (1 − σ(0.1)) = −0.0475021
    chosen, rejected = values(-1).requires_grad_(), values(-3).requires_grad_()
    loss = dpo(chosen, rejected, values(-2), values(-3))
    assert loss.tolist() == pytest.approx([0.644397], abs=1e-6)
    loss.sum().backward()
    assert chosen.grad.tolist() == pytest.approx([-0.0475021], abs=1e-6)
    assert rejected.grad.tolist() == pytest.approx([0.0475021], abs=1e-6)


def test_distillation_by_hand() -> None:
    # student (1/2, 1/2), teacher (3/4, 1/4)
    logits, teacher = torch.zeros(1, 2, dtype=torch.float64), values(math.log(3), 0)[None]
    forward = 0.75 * math.log(0.75 / 0.5) + 0.25 * math.log(0.25 / 0.5)
    reverse = 0.5 * math.log(0.5 / 0.75) + 0.5 * math.log(0.5 / 0.25)
    assert distill(logits, teacher).tolist() == pytest.approx([forward])
    assert distill(logits, teacher, direction="reverse").tolist() == pytest.approx([reverse])
    # at T = 2 the teacher is (√3, 1)/(√3 + 1)
    p = math.sqrt(3) / (math.sqrt(3) + 1)
    warm = 4 * (p * math.log(p / 0.5) + (1 - p) * math.log((1 - p) / 0.5))
    assert distill(logits, teacher, temperature=2.0).tolist() == pytest.approx([warm])


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_a_student_like_its_teacher_has_nothing_to_learn(direction: str) -> None:
    logits = torch.randn(4, 7, generator=torch.Generator().manual_seed(1), dtype=torch.float64).requires_grad_()
    # a shift of all scores is the same distribution
    loss = distill(logits, logits + 3, direction=direction)  # type: ignore[arg-type]
    assert loss.detach().abs().max() < 1e-12
    [slope] = torch.autograd.grad(loss.sum(), logits)
    assert slope.abs().max() < 1e-12


def test_estimates_of_the_kl_by_hand() -> None:
    # log π − log π_ref = ln 2
    logprobs, reference = values(math.log(0.5)), values(math.log(0.25))
    assert kl(logprobs, reference, estimator="k1").tolist() == pytest.approx([math.log(2)])
    assert kl(logprobs, reference, estimator="k2").tolist() == pytest.approx([math.log(2) ** 2 / 2])
    assert kl(logprobs, reference, estimator="k3").tolist() == pytest.approx([0.5 - 1 + math.log(2)])


def test_estimates_average_to_the_kl_that_they_estimate() -> None:
    generator = torch.Generator().manual_seed(0)
    policy, reference = (torch.log_softmax(torch.randn(5, generator=generator), 0) for _ in range(2))
    exact = (policy.exp() * (policy - reference)).sum()
    for estimator in ("k1", "k3"):  # unbiased: their expectation under the policy, taken exactly
        got = (policy.exp() * kl(policy, reference, estimator=estimator)).sum()  # type: ignore[arg-type]
        assert float(got) == pytest.approx(float(exact), abs=1e-6)
    logits = policy.clone().requires_grad_()
    own = torch.log_softmax(logits, 0)
    [wanted] = torch.autograd.grad((own.exp() * (own - reference)).sum(), logits)
    own = torch.log_softmax(logits, 0)
    [got] = torch.autograd.grad((own.exp().detach() * kl(own, reference, estimator="k2")).sum(), logits)
    assert got.tolist() == pytest.approx(wanted.tolist(), abs=1e-6)  # k2's gradient is that of the KL
