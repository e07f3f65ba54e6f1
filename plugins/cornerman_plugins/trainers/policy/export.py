"""Trained weights as transformers folders, for `hf:FOLDER` in any experiment."""

from __future__ import annotations

import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file

from cornerman_plugins.trainers.policy.weights import Policy


def export(policy: Policy, folder: Path) -> None:
    """Write `folder/SET` for every set of weights, adapters merged into their base, in the place of what is there."""
    for name in policy.sets:
        part = folder / f".{name}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        state = {k: v.detach().cpu().contiguous() for k, v in merged(policy, name).items()}
        save_file(state, part / "model.safetensors", metadata={"format": "pt"})
        with policy.acting(policy.roles[0] if policy.settings.shared else name) as model:
            model.config.save_pretrained(part)
            model.generation_config.save_pretrained(part)
        policy.tokenizer.save_pretrained(part)
        shutil.rmtree(folder / name, ignore_errors=True)
        part.rename(folder / name)


def merged(policy: Policy, name: str) -> dict[str, torch.Tensor]:
    """The whole model of a set of weights by parameter; W + (alpha/rank) B A in the place of an adapted matrix W."""
    role = policy.roles[0] if policy.settings.shared else name
    with policy.acting(role) as model:
        tied = model.config.get_text_config().tie_word_embeddings
        state = {
            k.replace(".base_layer.", "."): v
            for k, v in model.state_dict().items()
            if "lora_" not in k and not (tied and k == "lm_head.weight")
        }
        for place, layer in model.named_modules():
            if hasattr(layer, "get_delta_weight"):
                weight = state[f"{place}.weight"]
                state[f"{place}.weight"] = (weight.float() + layer.get_delta_weight(name)).to(weight.dtype)
    return state
