"""The trained weights by role: an adapter for each role on one base, one adapter for all, or a full model for each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import torch
from transformers import AutoTokenizer

from cornerman.errors import UsageError
from cornerman.records import Record
from cornerman.seeds import derive
from cornerman_plugins.models.hf.runner import device_of, dtype_of, load_model

Weights = Literal["adapters", "one-adapter", "full", "one-full"]


class WeightSettings(Record, frozen=True, kw_only=True):
    """How the roles' weights are held.

    hold: `adapters` gives each role a LoRA adapter of its own on one shared base, `one-adapter` lets all roles share
    one, `full` trains a whole model for each, `one-full` one for all. rank, alpha: of the adapters (Hu et al. 2021,
    arXiv 2106.09685). dtype: of the base (`auto`: bfloat16 where the hardware computes in it); what is trained is
    float32 in adapters. device: as torch names it. checkpointing: recompute activations in the backward pass, which
    saves memory and costs a third more time.
    """

    hold: Weights = "adapters"
    rank: Annotated[int, msgspec.Meta(ge=1)] = 8
    alpha: Annotated[int, msgspec.Meta(ge=1)] = 16
    dtype: str = "float32"
    device: str = "cpu"
    checkpointing: bool = False

    @property
    def shared(self) -> bool:
        """Whether all roles have the same weights."""
        return self.hold.startswith("one")


class Policy:
    """The models of all roles. `sets` names the sets of weights: one a role, or one alone, called `shared`."""

    def __init__(self, folder: Path, roles: Sequence[str], settings: WeightSettings, seed: int) -> None:
        self.settings, self.roles = settings, tuple(roles)
        self.sets = ("shared",) if settings.shared else self.roles
        self.device = device_of(settings.device)
        self.dtype = dtype_of(settings.dtype, settings.device)
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self._active = ""
        with torch.random.fork_rng(), torch.device(self.device):
            torch.manual_seed(derive(seed, "weights") % 2**63)
            if settings.hold in ("adapters", "one-adapter"):
                self._adapted: Any = self._with_adapters(self._base(folder))
                base = self._adapted.get_base_model()
                self._models = dict.fromkeys(self.sets, base)
            else:
                self._adapted = None
                self._models = {name: self._base(folder) for name in self.sets}
        _plain_head(next(iter(self._models.values())))

    def _base(self, folder: Path) -> Any:
        model = load_model(folder, self.dtype, self.settings.device)
        if self.settings.checkpointing:
            model.activation_checkpointing_enable({"use_reentrant": False})
        return model

    def _with_adapters(self, base: Any) -> Any:
        from peft import LoraConfig, get_peft_model

        config = LoraConfig(
            r=self.settings.rank, lora_alpha=self.settings.alpha, lora_dropout=0.0, target_modules="all-linear"
        )
        adapted = get_peft_model(base, config, adapter_name=self.sets[0])
        for name in self.sets[1:]:
            adapted.add_adapter(name, config)
        for name, parameter in adapted.named_parameters():
            if "lora_" in name:
                parameter.data = parameter.data.float()
        return adapted.eval()

    def set_of(self, role: str) -> str:
        """The set of weights that a role has."""
        return "shared" if self.settings.shared else role

    @contextlib.contextmanager
    def acting(self, role: str, *, training: bool = False) -> Iterator[Any]:
        """The model of a role, ready for passes; `training` lets checkpointed layers recompute."""
        name = self.set_of(role)
        model = self._models[name]
        if self._adapted is not None and self._active != name:
            self._adapted.set_adapter(name)
            self._active = name
        if training and self.settings.checkpointing:
            model.train()
        try:
            yield model
        finally:
            model.eval()

    @contextlib.contextmanager
    def holding(self, name: str, state: dict[str, torch.Tensor]) -> Iterator[None]:
        """Let a set of weights be as it was when `state` was taken: a reference policy, or one that stays behind."""
        kept = self.state(name)
        self.load(name, state, "memory")
        try:
            yield
        finally:
            self.load(name, kept, "memory")

    def parameters(self, name: str) -> dict[str, torch.nn.Parameter]:
        """The trainable parameters of a set of weights, by name."""
        if self._adapted is None:
            return dict(self._models[name].named_parameters())
        found = self._adapted.named_parameters()
        return {n.replace(f".{name}.", "."): p for n, p in found if "lora_" in n and f".{name}." in n}

    def state(self, name: str) -> dict[str, torch.Tensor]:
        """Copies of the parameters of a set of weights."""
        return {n: p.detach().clone().contiguous() for n, p in self.parameters(name).items()}

    def load(self, name: str, state: dict[str, torch.Tensor], where: object) -> None:
        """Set the parameters of a set of weights. Raises `UsageError` when they are another model's."""
        own = self.parameters(name)
        if own.keys() != state.keys() or any(own[n].shape != t.shape for n, t in state.items()):
            raise UsageError(f"the weights in {where} are of another model, or of other adapters")
        with torch.no_grad():
            for key, tensor in state.items():
                own[key].copy_(tensor)


def _plain_head(model: Any) -> None:
    """Refuse a model whose logits are not its last hidden states times its output matrix: they are computed so here."""
    config = model.config.get_text_config()
    scaled = getattr(config, "logit_scale", None) not in (None, 1.0)
    if scaled or getattr(config, "final_logit_softcapping", None) or model.get_output_embeddings().bias is not None:
        raise UsageError(
            f"{type(model).__name__} scales or caps its logits, or adds a bias; it can not be trained here"
        )
