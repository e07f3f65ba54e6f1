"""The in-process backend on llama.cpp, for `llamacpp:FILE.gguf`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import llama_cpp

from cornerman.errors import UsageError
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.models.hf.job import Engine
from cornerman_plugins.models.hf.kv import KVSequence, PrefixCache
from cornerman_plugins.models.hf.local import LocalModel, at_least_one
from cornerman_plugins.models.hf.worker import Worker
from cornerman_plugins.models.llamacpp.runner import PASS, Runner


class LlamaCppModel(LocalModel):
    """A GGUF file with a byte-level BPE tokenizer and a chat template.

    threads: of llama.cpp. context: the longest sequence in tokens, at most what the model was trained for. cells:
    tokens that the memory holds, of all sequences together; four times `context` by default. max_batch: sequences at
    work at once. layers: how many are put on a GPU, where llama.cpp was built for one. template: arguments of the chat
    template. Loading blocks; raises UsageError when the model cannot be loaded.

    Weights and activations are quantised, and llama.cpp's sums depend on what else lies in its memory: the same request
    can have other last digits, and now and then another answer.
    """

    def __init__(
        self,
        target: str = "",
        *,
        threads: int = 1,
        context: int = 4096,
        cells: int | None = None,
        max_batch: int = 8,
        layers: int = 0,
        template: Mapping[str, Any] | None = None,
    ) -> None:
        at_least_one(threads=threads, context=context, cells=cells or 1, max_batch=max_batch)
        path = Path(target).expanduser()
        if not target or not path.is_file():
            raise UsageError(f"there is no file {target or '?'}; name a GGUF file: llamacpp:FILE.gguf")
        self.name = f"llamacpp:{path.name}"
        self._threads = threads

        def load() -> Engine:
            runner = Runner(path, threads=threads, context=context, cells=cells, layers=layers)
            chat = Chat(runner.tokenizer, template, runner.tokenizer.ends, runner.tokenizer)
            budget = runner.cells * runner.memory.bytes_per_token
            cache = PrefixCache(budget, lambda: cast("KVSequence", runner.sequence()))
            runner.relieve = cache.evict
            return Engine(self.name, runner, chat, cache)

        self._worker = Worker(load, threads=1, max_batch=max_batch, max_tokens=PASS)

    def describe(self) -> dict[str, Any]:
        """Digests of file and template, threads, context length and the version of llama-cpp-python."""
        engine = self._worker.engine
        return {
            "weights": f"sha256:{engine.runner.digest}",
            "template": f"sha256:{engine.chat.digest}",
            "threads": self._threads,
            "context": engine.runner.context,
            "llama_cpp_python": llama_cpp.__version__,
        }
