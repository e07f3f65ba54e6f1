"""A GGUF model in llama.cpp, loaded to run segments as `hf.runner.Runner` does."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from llama_cpp import llama_cpp as native

from cornerman.assets.wheel import sha256_of
from cornerman.errors import ModelError, UsageError
from cornerman_plugins.models.hf.attention import Segment
from cornerman_plugins.models.llamacpp.memory import LlamaSequence, Memory
from cornerman_plugins.models.llamacpp.vocabulary import Vocabulary

SEQUENCES = 256
"""The most that llama.cpp holds at once."""
PASS = 512
"""Tokens that are handed to it at once."""
_NO_ROOM = 1
"""What `llama_decode` answers when its memory is full."""


@native.llama_log_callback  # type: ignore[untyped-decorator]
def _silent(level: int, text: bytes, data: int) -> None:
    """llama.cpp reports its loading on stderr, where progress is shown."""


class Place(NamedTuple):
    """A token to run: its segment, position, the sequences that it belongs to, and whether its logits are wanted."""

    segment: int
    token: int
    position: int
    numbers: Sequence[int]
    wanted: bool


class Runner:
    """Weights and one function, `run`. `context` is the longest sequence that fits, in tokens.

    `cells`: tokens that the memory holds, of all sequences together. `relieve` is asked to free some when it is full;
    it answers whether it could.
    """

    def __init__(self, path: Path, *, threads: int, context: int, cells: int | None, layers: int) -> None:
        native.llama_log_set(_silent, ctypes.c_void_p(0))
        native.llama_backend_init()
        wanted = native.llama_model_default_params()
        wanted.n_gpu_layers = layers
        self._model = native.llama_model_load_from_file(str(path).encode(), wanted)
        if not self._model:
            raise UsageError(f"{path} is no GGUF file that llama.cpp can load.")
        self.digest = sha256_of(path)
        self.tokenizer = Vocabulary(self._model, path)
        self.vocabulary = self.tokenizer.size
        trained = native.llama_model_n_ctx_train(self._model)
        self.context = min(context, trained)
        self.cells = max(self.context, cells or 4 * self.context)
        self._context = self._open(threads)
        self.memory = Memory(self._context, SEQUENCES, self._bytes_per_token())
        self._batch = native.llama_batch_init(PASS, 0, SEQUENCES)
        self.relieve: Callable[[], bool] = lambda: False

    def sequence(self) -> LlamaSequence:
        """An empty sequence."""
        return LlamaSequence(self.memory)

    def run(self, segments: Sequence[Segment]) -> list[torch.Tensor]:
        """Run all segments; for each the logits [wanted, vocabulary] in float32."""
        self.memory.reclaim()
        rows: list[list[torch.Tensor]] = [[] for _ in segments]
        queue: list[Place] = []
        held: list[LlamaSequence] = []
        for i, segment in enumerate(segments):
            sequence: Any = segment.sequence
            if segment.visible is not None:  # a tree grows out of what has been run, its prompt's end too
                self._flush(queue, rows)
            self.memory.cut(sequence.number, segment.start)
            numbers, own = self._numbers(segment, sequence)
            held += own
            positions = segment.positions or range(segment.start, segment.start + len(segment.ids))
            asked = set(segment.wanted)
            queue += [
                Place(i, token, position, numbers[place], place in asked)
                for place, (token, position) in enumerate(zip(segment.ids, positions, strict=True))
            ]
        self._flush(queue, rows)
        for segment in segments:
            sequence = segment.sequence
            if segment.keep:
                sequence.ids += segment.ids
            else:
                self.memory.cut(sequence.number, segment.start)
        del held
        width = self.vocabulary
        return [torch.stack(part) if part else torch.empty(0, width) for part in rows]

    def close(self) -> None:
        """Free what llama.cpp holds."""
        native.llama_batch_free(self._batch)
        native.llama_free(self._context)
        native.llama_model_free(self._model)

    def _numbers(self, segment: Segment, sequence: LlamaSequence) -> tuple[list[list[int]], list[LlamaSequence]]:
        """For each token of a segment, the sequences that it belongs to, and those that were made for it.

        A tree is as many sequences as it has ends: each begins as the segment's own, and a token belongs to those of
        the ends below it. So no token sees another branch.
        """
        n = len(segment.ids)
        if segment.visible is None:
            return [[sequence.number]] * n, []
        seen = segment.visible.numpy()
        ends = [i for i in range(n) if not seen[i + 1 :, i].any()]
        branches = [sequence.fork(segment.start) for _ in ends]
        numbers = [[b.number for b, end in zip(branches, ends, strict=True) if seen[end, i]] for i in range(n)]
        return numbers, branches

    def _flush(self, queue: list[Place], rows: list[list[torch.Tensor]]) -> None:
        """Run what is queued, and file the logits that are wanted by segment."""
        for begin in range(0, len(queue), PASS):
            self._decode(queue[begin : begin + PASS], rows)
        queue.clear()

    def _decode(self, part: Sequence[Place], rows: list[list[torch.Tensor]]) -> None:
        batch = self._batch
        batch.n_tokens = len(part)
        for place, (_, token, position, numbers, wanted) in enumerate(part):
            batch.token[place], batch.pos[place] = token, position
            batch.n_seq_id[place] = len(numbers)
            for i, number in enumerate(numbers):
                batch.seq_id[place][i] = number
            batch.logits[place] = wanted
        while code := native.llama_decode(self._context, batch):
            if code == _NO_ROOM and self.relieve():
                self.memory.reclaim()
            else:
                full = f"its memory of {self.cells} tokens is full; raise the model option cells or lower max_batch"
                raise ModelError(f"llama.cpp failed: {full if code == _NO_ROOM else f'llama_decode answered {code}'}.")
        for place, (i, _, _, _, wanted) in enumerate(part):
            if wanted:
                logits = native.llama_get_logits_ith(self._context, place)
                row = np.ctypeslib.as_array(logits, (self.vocabulary,))
                rows[i].append(torch.from_numpy(row.copy()))

    def _open(self, threads: int) -> Any:
        wanted = native.llama_context_default_params()
        wanted.n_ctx, wanted.n_batch, wanted.n_ubatch = self.cells, PASS, PASS
        wanted.n_seq_max, wanted.kv_unified = SEQUENCES, True
        wanted.n_threads = wanted.n_threads_batch = threads
        wanted.no_perf = True
        context = native.llama_init_from_model(self._model, wanted)
        if not context:
            raise UsageError(f"llama.cpp cannot hold {self.cells} tokens of this model; lower the model option cells.")
        return context

    def _bytes_per_token(self) -> int:
        """Of keys and values in 16 bits."""
        heads = native.llama_model_n_head(self._model)
        width = native.llama_model_n_embd(self._model) // heads * native.llama_model_n_head_kv(self._model)
        return int(native.llama_model_n_layer(self._model) * width * 2 * 2)
