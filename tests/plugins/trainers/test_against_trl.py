"""Losses and their gradients against TRL's own loss code, on the same logits."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="losses need the extra 'hf'")
trl = pytest.importorskip("trl", reason="TRL is compared with where it is installed")

from cornerman.plugins import load  # noqa: E402
from cornerman_plugins.trainers.losses.kl import kl  # noqa: E402
from cornerman_plugins.trainers.pieces import load_piece  # noqa: E402
from cornerman_plugins.trainers.weighting import token_weights  # noqa: E402

REGISTRY = load().registry
B, T, V, LONGEST = 6, 9, 11, 20
GENERATOR = torch.Generator().manual_seed(5)
LENGTHS = torch.tensor([9, 4, 1, 7, 9, 3])
MASK = torch.arange(T)[None] < LENGTHS[:, None]
IDS = torch.randint(V, (B, T), generator=GENERATOR)
OLD, REFERENCE = (
    torch.log_softmax(torch.randn(B, T, V, generator=GENERATOR), -1).gather(-1, IDS[..., None])[..., 0] for _ in "ab"
)
ADVANTAGE = torch.tensor([1.3, -0.2, 0.0, -1.1, 0.7, 2.0])


class Alone:
    """What TRL asks of an accelerator, in one process."""

    num_processes, sync_gradients, device = 1, True, "cpu"

    @staticmethod
    def gather(tensor: Any) -> Any:
        return tensor

    gather_for_metrics = gather

    @staticmethod
    def reduce(tensor: Any, reduction: str) -> Any:
        return tensor


def logits_near_old() -> Any:
    """Logits under which the sampled tokens' ratios lie around 1, within the clip and outside."""
    noise = torch.randn(B, T, V, generator=torch.Generator().manual_seed(9))
    start = torch.log((1 - OLD.exp()) / (V - 1))[..., None].expand(B, T, V).clone()
    return (start.scatter(-1, IDS[..., None], OLD[..., None]) + 0.2 * noise).requires_grad_()


def logprobs_of(logits: Any) -> Any:
    return torch.log_softmax(logits, -1).gather(-1, IDS[..., None])[..., 0]


def trainer(**settings: Any) -> Any:
    """What TRL's loss functions read of their trainer."""
    base = {
        "model": SimpleNamespace(training=True),
        "aux_loss_enabled": False,
        "top_entropy_quantile": 1.0,
        "off_policy_mask_threshold": None,
        "importance_sampling_level": "token",
        "beta": 0.0,
        "epsilon_low": 0.2,
        "epsilon_high": 0.28,
        "use_vllm": False,
        "current_gradient_accumulation_steps": 1,
        "max_completion_length": LONGEST,
        "accelerator": Alone(),
        "_entropy_bonus_enabled": False,
        "_metrics": {"train": defaultdict(list), "eval": defaultdict(list)},
        "args": SimpleNamespace(use_bias_correction_kl=False, delta=None, steps_per_generation=1),
    }
    return SimpleNamespace(**{**base, **settings})


def policy_inputs(**more: Any) -> dict[str, Any]:
    prompt = torch.zeros(B, 1, dtype=torch.long)
    return {
        "prompt_ids": prompt,
        "prompt_mask": prompt + 1,
        "completion_ids": IDS,
        "completion_mask": MASK.long(),
        "advantages": ADVANTAGE,
        "num_items_in_batch": MASK.sum(),
        **more,
    }


def flat(tensor: Any) -> Any:
    """Tokens that count, in a row: what a packed batch holds."""
    return tensor[MASK]


SEQUENCE = flat(torch.arange(B)[:, None].expand(B, T))


def ours(name: str, logits: Any, options: dict[str, Any], beta: float = 0.0) -> Any:
    """The loss of a registered piece, averaged as it is registered."""
    piece = load_piece(REGISTRY, "loss", name, options)
    given = {
        "logprobs": flat(logprobs_of(logits)),
        "old": flat(OLD),
        "advantage": flat(ADVANTAGE[:, None].expand(B, T)),
        "sequence": SEQUENCE,
    }
    weights = token_weights(
        np.ones(len(SEQUENCE), np.bool_), SEQUENCE.numpy(), normalise=piece.normalise, longest=LONGEST
    )
    values = piece(given)
    if beta:
        values = values + beta * kl(given["logprobs"], flat(REFERENCE))
    return (torch.from_numpy(weights).to(values) * values).sum()


def assert_equal(mine: Any, theirs: Any, logits: Any) -> None:
    [own], [wanted] = (torch.autograd.grad(x, logits, retain_graph=True) for x in (mine, theirs))
    assert float(mine.detach()) == pytest.approx(float(theirs.detach()), abs=1e-5)
    assert float((own - wanted).abs().max()) < 1e-5
    assert float(wanted.abs().max()) > 1e-3  # there is a gradient to be equal


@pytest.mark.parametrize("beta", [0.0, 0.04])
@pytest.mark.parametrize(
    ("loss_type", "name", "options"),
    [
        ("grpo", "grpo", {"high": 0.28}),
        ("bnpo", "reinforce++", {"high": 0.28}),
        ("dr_grpo", "dr-grpo", {"high": 0.28}),
        ("dapo", "dapo", {}),
        ("cispo", "cispo", {"most": 1.1}),
    ],
)
def test_policy_losses_and_gradients_are_trls(loss_type: str, name: str, options: dict[str, Any], beta: float) -> None:
    logits = logits_near_old()
    logprobs = logprobs_of(logits)
    epsilon_high = options["most"] if name == "cispo" else 0.28
    self = trainer(loss_type=loss_type, beta=beta, epsilon_high=epsilon_high)
    self._get_per_token_logps_and_entropies = lambda *_, **__: (logprobs, torch.zeros(B, T), None)
    inputs = policy_inputs(old_per_token_logps=OLD, ref_per_token_logps=REFERENCE)
    theirs = trl.GRPOTrainer._compute_loss(self, self.model, inputs)
    assert_equal(ours(name, logits, options, beta), theirs, logits)
    ratio = flat((logprobs - OLD).exp())
    assert bool((ratio > 1.28).any())  # some tokens are clipped above, some below, some not at all
    assert bool((ratio < 0.8).any())
    assert bool(((ratio > 0.8) & (ratio < 1.28)).any())


def rloo_of_trl(logits: Any, old: Any) -> Any:
    self = trainer(epsilon_high=0.2)
    self._get_per_token_logps_and_entropies = lambda *_, **__: (logprobs_of(logits), torch.zeros(B, T), None)
    inputs = policy_inputs(old_logps=(old * MASK).sum(1))
    return trl.RLOOTrainer._compute_loss(self, self.model, inputs)


def test_rloo_with_ratios_is_trls() -> None:
    logits = logits_near_old()
    assert_equal(ours("rloo-clipped", logits, {}), rloo_of_trl(logits, OLD), logits)


def test_rloos_gradient_is_trls_where_the_policy_is_the_one_that_sampled() -> None:
    logits = logits_near_old()
    mine, theirs = ours("rloo", logits, {}), rloo_of_trl(logits, logprobs_of(logits).detach())
    [own], [wanted] = (torch.autograd.grad(x, logits, retain_graph=True) for x in (mine, theirs))
    assert float((own - wanted).abs().max()) < 1e-5
    assert float(wanted.abs().max()) > 1e-3


def test_dpo_is_trls() -> None:
    logits = logits_near_old()
    logprobs = logprobs_of(logits) * MASK
    reference = (REFERENCE * MASK).sum(1)
    outputs = SimpleNamespace(
        log_probs=logprobs,
        entropy=torch.zeros(B, T),
        mean_logits=torch.zeros(B, T),
        is_top1=torch.zeros(B, T, dtype=torch.bool),
    )

    def model(**_: Any) -> Any:
        return outputs

    model.training = False  # type: ignore[attr-defined]
    self = trainer(
        model=model,
        ld_alpha=None,
        precompute_ref_logps=True,
        f_divergence_type="reverse_kl",
        loss_types=["sigmoid"],
        loss_weights=[1.0],
        beta=0.1,
        label_smoothing=0.0,
        use_weighting=False,
        _total_train_tokens=0,
    )
    # TRL's mask has one column more, for the first token of the prompt
    mask = torch.cat([torch.zeros(B, 1), MASK], dim=1).long()
    inputs = {
        "input_ids": torch.zeros(B, T + 1, dtype=torch.long),
        "attention_mask": mask,
        "completion_mask": mask,
        "ref_chosen_logps": reference[:3],
        "ref_rejected_logps": reference[3:],
    }
    theirs = trl.DPOTrainer._compute_loss(self, model, inputs, return_outputs=False)
    summed = logprobs.sum(1)
    piece = load_piece(REGISTRY, "loss", "dpo")
    pairs = piece(
        {
            "chosen": summed[:3],
            "rejected": summed[3:],
            "reference_chosen": reference[:3],
            "reference_rejected": reference[3:],
        }
    )
    assert_equal(pairs.mean(), theirs, logits)
