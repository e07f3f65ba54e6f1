"""A causal language model of transformers, loaded to run segments."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from cornerman.assets.wheel import sha256_of
from cornerman.errors import UsageError, did_you_mean
from cornerman_plugins.models.hf.attention import NAME, Segment, Segments
from cornerman_plugins.models.hf.kv import KVSequence

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


class Runner:
    """Weights, tokenizer and one function, `run`. `context` is the longest sequence that fits, in tokens."""

    def __init__(self, folder: Path, dtype: str, device: str) -> None:
        self.digest = weights_digest(folder)
        model = load_model(folder, dtype_of(dtype, device), device)
        self._adopt(model, AutoTokenizer.from_pretrained(folder))

    def _adopt(self, model: Any, tokenizer: Any) -> None:
        """Take a loaded model whose attention is that of segments."""
        self._model, self.tokenizer = model, tokenizer
        self._device, self.dtype = model.device, model.dtype
        config = self._model.config.get_text_config()
        self.vocabulary = int(config.vocab_size)
        window = getattr(config, "sliding_window", None)  # within its window such a model attends to everything
        self.context = int(min(config.max_position_embeddings, window or config.max_position_embeddings))
        self.ends = _as_list(self._model.generation_config.eos_token_id)
        self._groups = config.num_attention_heads // config.num_key_value_heads
        self._probe(config.num_hidden_layers)

    def run(self, segments: Sequence[Segment]) -> list[torch.Tensor]:
        """One forward pass; for each segment the logits [wanted, vocabulary] in float32."""
        ids: list[int] = []
        positions: list[int] = []
        rows: list[int] = []
        for segment in segments:
            rows += [len(ids) + place for place in segment.wanted]
            ids += segment.ids
            positions += segment.positions or range(segment.start, segment.start + len(segment.ids))
        logits = self._model(
            input_ids=torch.tensor([ids], device=self._device),
            position_ids=torch.tensor([positions], device=self._device),
            use_cache=False,
            logits_to_keep=torch.tensor(rows, dtype=torch.long, device=self._device),
            segments=Segments(segments, self._groups, self.dtype, self._device),
        ).logits[0]
        for segment in segments:
            if segment.keep:
                segment.sequence.ids += segment.ids
        return [part.float() for part in logits.split([len(segment.wanted) for segment in segments])]

    def _probe(self, layers: int) -> None:
        """Run two tokens: every layer must have come to the segments, or the model is not one of plain attention."""
        sequence = KVSequence()
        try:
            self.run([Segment(sequence, [0, 0], 0, [1])])
        except (TypeError, AttributeError) as error:
            raise UsageError(f"{type(self._model).__name__} does not take segments: {_first_line(error)}") from error
        if len(sequence.layers) != layers:
            raise UsageError(
                f"{type(self._model).__name__} has {layers} layers, {len(sequence.layers)} of them with attention that "
                "transformers lets others provide; only models of plain attention are supported."
            )


def load_model(folder: Path, dtype: torch.dtype, device: str) -> Any:
    """A causal model of a transformers folder with the attention of segments. Raises UsageError when it can not be."""
    try:
        with without_bars():
            model: Any = AutoModelForCausalLM.from_pretrained(
                folder, dtype=dtype, attn_implementation=NAME, use_safetensors=True
            )
        return model.to(device_of(device)).eval()
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        raise UsageError(f"cannot load the model in {folder} on '{device}': {_first_line(error)}") from error


def device_of(name: str) -> torch.device:
    """The device of a name. Raises UsageError where torch knows none."""
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise UsageError(f"cannot load the model on '{name}': {_first_line(error)}") from error


@contextmanager
def without_bars() -> Iterator[None]:
    """Keep transformers from showing progress bars of its own."""
    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def dtype_of(name: str, device: str) -> torch.dtype:
    """The dtype of a name; `auto` is bfloat16 where the hardware computes in it, else float32."""
    if name == "auto":
        return torch.bfloat16 if device != "cpu" or _cpu_has_bfloat16() else torch.float32
    if name not in DTYPES:
        raise UsageError(f"unknown dtype '{name}'; {did_you_mean(name, ['auto', *DTYPES])}")
    return DTYPES[name]


def _cpu_has_bfloat16() -> bool:
    """Whether the CPU multiplies bfloat16 itself (AVX-512 BF16, AMX, ARM BF16); elsewhere it is slower than float32."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags or " bf16" in flags


def weights_digest(folder: Path) -> str:
    """SHA-256 over the names and digests of a folder's safetensors files, in hexadecimal."""
    lines = [f"{path.name} {sha256_of(path)}" for path in sorted(folder.glob("*.safetensors"))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _as_list(value: int | list[int] | None) -> list[int]:
    return [] if value is None else [value] if isinstance(value, int) else list(value)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
