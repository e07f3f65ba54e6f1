"""Log-probabilities and gradients against transformers' own attention, one sequence at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra 'train'")
pytest.importorskip("peft", reason="training needs the extra 'train'")

from transformers import AutoModelForCausalLM  # noqa: E402

from cornerman_plugins.trainers.policy.export import export  # noqa: E402
from cornerman_plugins.trainers.policy.logprobs import token_values  # noqa: E402
from cornerman_plugins.trainers.policy.packing import Sampled  # noqa: E402
from cornerman_plugins.trainers.policy.tiny import TinySettings, tiny_model  # noqa: E402
from cornerman_plugins.trainers.policy.weights import Policy, WeightSettings  # noqa: E402

HEAD = tuple(range(10, 60))
SEQUENCES = sorted(
    [
        Sampled((*HEAD, 70, 71, 72), 50, ((70, 80, 90), (71,), (72, 75))),
        Sampled((*HEAD, 70, 71, 75), 50, ((70, 80, 90), (71,), (72, 75))),
        Sampled((*HEAD, 33, 34, 35, 36), 52, (None, None)),
        Sampled((5, 6, 7, 8), 2, (None, (8, 9))),
    ],
    key=lambda s: s.run,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tiny") / "base"
    return tiny_model(made, ["take the apple", "look in the fridge"], TinySettings(layers=2, width=32), 3)


def policy(folder: Path, **settings: Any) -> Policy:
    return Policy(folder, ("actor", "critic"), WeightSettings(**settings), 0)


def expected(folder: Path, sequence: Sampled) -> list[float]:
    """By a whole forward pass of transformers, softmax over what was allowed."""
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager")
    logits = model(torch.tensor([sequence.ids])).logits[0]
    out = []
    for i in sequence.decisions:
        row, taken = logits[sequence.start + i - 1], sequence.ids[sequence.start + i]
        allowed = sequence.allowed[i] or range(len(row))
        out.append(float((row[taken] - torch.logsumexp(row[list(allowed)], 0)).detach()))
    return out


def test_values_are_those_of_transformers_with_and_without_sharing(folder: Path) -> None:
    wanted = [v for s in SEQUENCES for v in expected(folder, s)]
    held = policy(folder, hold="full")
    for share in (True, False):
        with held.acting("actor") as model:
            values = token_values(model, SEQUENCES, share)
        assert values.logprobs.tolist() == pytest.approx(wanted, abs=1e-5)
        assert values.counts == tuple(len(s.decisions) for s in SEQUENCES)
    assert (values.entropies > 0).all()


def test_gradients_do_not_depend_on_sharing_or_checkpointing(folder: Path) -> None:
    found = []
    for share, checkpointing in ((True, False), (False, False), (True, True)):
        held = policy(folder, hold="full", checkpointing=checkpointing)
        with held.acting("actor", training=True) as model:
            token_values(model, SEQUENCES, share).logprobs.sum().backward()
        found.append({n: p.grad for n, p in held.parameters("actor").items()})
    for other in found[1:]:
        for name, gradient in found[0].items():
            torch.testing.assert_close(other[name], gradient, rtol=1e-4, atol=1e-5)


def test_two_adapters_on_one_base_learn_apart(folder: Path) -> None:
    held = policy(folder, hold="adapters", rank=4)
    before = held.state("critic")
    optimiser = torch.optim.SGD(held.parameters("actor").values(), lr=0.5)
    with held.acting("actor", training=True) as model:
        first = token_values(model, SEQUENCES).logprobs
        (-first.sum()).backward()
    optimiser.step()
    with held.acting("actor") as model:
        assert token_values(model, SEQUENCES).logprobs.sum() > first.sum()
    with held.acting("critic") as model:
        torch.testing.assert_close(token_values(model, SEQUENCES).logprobs, first)
    assert all(torch.equal(before[n], t) for n, t in held.state("critic").items())
    assert not any(p.requires_grad for n, p in held._models["actor"].named_parameters() if "lora_" not in n)


@pytest.mark.parametrize("hold", ["adapters", "one-adapter", "full"])
def test_exported_weights_are_those_that_were_trained(folder: Path, hold: str, tmp_path: Path) -> None:
    held = policy(folder, hold=hold)
    generator = torch.Generator().manual_seed(1)
    for name in held.sets:
        changed = {n: t + 0.1 * torch.randn(t.shape, generator=generator) for n, t in held.state(name).items()}
        held.load(name, changed, "test")
    with held.acting("actor") as model:
        wanted = token_values(model, SEQUENCES).logprobs.tolist()
    export(held, tmp_path)
    found = [v for s in SEQUENCES for v in expected(tmp_path / held.set_of("actor"), s)]
    assert found == pytest.approx(wanted, abs=1e-4)


def test_a_set_can_be_as_it_was_for_a_while(folder: Path) -> None:
    held = policy(folder, hold="one-full")
    assert held.sets == ("shared",)
    start = held.state("shared")
    changed = {n: t + 1 for n, t in start.items()}
    with held.holding("shared", changed):
        assert all(torch.equal(changed[n], t) for n, t in held.state("shared").items())
    assert all(torch.equal(start[n], t) for n, t in held.state("shared").items())
