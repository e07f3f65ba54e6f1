"""Token sequences in llama.cpp's memory: the counterpart of `hf.kv.KVSequence`, one number of a sequence each."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from llama_cpp import llama_cpp as native

from cornerman.errors import ModelError


class Memory:
    """Numbers of sequences, and the cells that they hold. To be used by the model's own thread.

    What two sequences share is held once, so that a copy costs nothing; `bytes_per_token` is what a token of its own
    costs.
    """

    def __init__(self, context: Any, sequences: int, bytes_per_token: int) -> None:
        self._native = native.llama_get_memory(context)
        self._free = deque(range(sequences))
        self._released: deque[int] = deque()
        self.bytes_per_token = bytes_per_token

    def number(self) -> int:
        """A number that nobody holds, with nothing in it."""
        self.reclaim()
        if not self._free:
            raise ModelError("llama.cpp has no sequence left; lower max_batch or ask for fewer candidates at once.")
        return self._free.popleft()

    def release(self, number: int) -> None:
        """Let go of a number, from whichever thread: what it holds is freed by `reclaim`."""
        self._released.append(number)

    def reclaim(self) -> None:
        """Free what released numbers held alone."""
        while self._released:
            number = self._released.popleft()
            self.cut(number, 0)
            self._free.append(number)

    def cut(self, number: int, start: int) -> None:
        """Drop a sequence's tokens from a place on."""
        native.llama_memory_seq_rm(self._native, number, start, -1)

    def copy(self, source: int, target: int, length: int) -> None:
        """Let another number hold the first tokens of a sequence, too."""
        native.llama_memory_seq_cp(self._native, source, target, 0, length)


class LlamaSequence:
    """One sequence. `ids` are the tokens that are settled; the memory may hold more, which the next write drops."""

    def __init__(self, memory: Memory) -> None:
        self.ids: list[int] = []
        self.busy = False
        self.memory, self.number = memory, memory.number()
        self._gone = weakref.finalize(self, memory.release, self.number)

    @property
    def nbytes(self) -> int:
        return len(self.ids) * self.memory.bytes_per_token

    def fork(self, length: int) -> LlamaSequence:
        """A sequence with the same first `length` tokens."""
        copy = LlamaSequence(self.memory)
        copy.ids = self.ids[:length]
        self.memory.copy(self.number, copy.number, length)
        return copy
