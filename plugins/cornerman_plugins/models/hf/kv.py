"""Keys and values of token sequences, kept between requests."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import count

import torch

_STEP = 128
"""Buffers grow to a multiple of so many tokens."""
_WORTH_COPYING = 16
"""A prefix of another session is copied when it saves at least so many tokens."""


class KVSequence:
    """The keys and values of one sequence of tokens, a buffer a layer: [2, kv heads, capacity, head dimension].

    `ids` are the tokens that are settled; a layer may hold more beyond them, which the next write overwrites.
    """

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.layers: list[torch.Tensor] = []
        self.busy = False

    @property
    def nbytes(self) -> int:
        return sum(layer.nbytes for layer in self.layers)

    def write(
        self, layer: int, start: int, keys: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write from place `start` on and return all keys and values up to the end of what was written.

        Shapes are [kv heads, tokens, head dimension]; what is returned are views of the buffer.
        """
        heads, tokens, dimension = keys.shape
        stop = start + tokens
        if layer == len(self.layers):
            self.layers.append(keys.new_empty(2, heads, 0, dimension))
        buffer = self.layers[layer]
        if stop > buffer.shape[2]:
            buffer = keys.new_empty(2, heads, -(-stop // _STEP) * _STEP, dimension)
            buffer[:, :, :start] = self.layers[layer][:, :, :start]
            self.layers[layer] = buffer
        buffer[0, :, start:stop] = keys
        buffer[1, :, start:stop] = values
        return buffer[0, :, :stop], buffer[1, :, :stop]

    def fork(self, length: int) -> KVSequence:
        """A copy of the first `length` tokens."""
        copy = KVSequence()
        copy.ids = self.ids[:length]
        capacity = -(-(length + 1) // _STEP) * _STEP
        for layer in self.layers:
            buffer = layer.new_empty(*layer.shape[:2], capacity, layer.shape[3])
            buffer[:, :, :length] = layer[:, :, :length]
            copy.layers.append(buffer)
        return copy


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two sequences share at their beginning."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))


class PrefixCache:
    """One sequence a session, the least recently used dropped first when all together hold over `budget` bytes.

    Sequences in use are never dropped, so that requests at work can exceed the budget. What one session computed serves
    others too (a system prompt, a task tried again), but only what a session had itself counts as cached for it: which
    of two episodes came first is chance, and must not make one cheaper than the other.
    """

    def __init__(self, budget: int, new: Callable[[], KVSequence] = KVSequence) -> None:
        self._budget, self._new = budget, new
        self._sequences: OrderedDict[str, KVSequence] = OrderedDict()
        self._unnamed = count()

    def take(self, session: str | None, ids: Sequence[int]) -> tuple[KVSequence, str, int]:
        """For a prompt: a sequence that holds as much of its beginning as is known, its key, and the session's share.

        At least the last token is left to compute, since its logits are wanted. The sequence is busy until `give`.
        """
        key = session if session is not None else f"\0{next(self._unnamed)}"
        limit = len(ids) - 1
        shared = {name: min(common_prefix(s.ids, ids), limit) for name, s in self._sequences.items()}
        own = self._sequences.get(key)
        cached = shared.get(key, 0)
        best = max(shared, key=lambda name: shared[name], default=None)
        if best is not None and (shared[best] >= cached + _WORTH_COPYING or (own is not None and own.busy)):
            sequence = self._sequences[best].fork(shared[best])
        elif own is not None:
            sequence = own
            del sequence.ids[cached:]
        else:
            sequence = self._new()
        sequence.busy = True
        self._sequences[key] = sequence
        self._sequences.move_to_end(key)
        return sequence, key, cached

    def give(self, key: str, sequence: KVSequence) -> None:
        """The sequence's request is done."""
        sequence.busy = False
        held = sum(s.nbytes for s in self._sequences.values())
        for name in [name for name, s in self._sequences.items() if not s.busy]:
            if held <= self._budget:
                return
            held -= self._sequences.pop(name).nbytes

    def evict(self) -> bool:
        """Drop the sequence that was idle for longest; whether there was one."""
        idle = next((name for name, s in self._sequences.items() if not s.busy), None)
        if idle is not None:
            del self._sequences[idle]
        return idle is not None

    def clear(self) -> None:
        """Forget every sequence that is not in use: the weights behind them have changed."""
        for name in [name for name, s in self._sequences.items() if not s.busy]:
            del self._sequences[name]

    def drop(self, key: str, sequence: KVSequence) -> None:
        """The sequence's request failed, and what it holds is not to be trusted."""
        if self._sequences.get(key) is sequence:
            del self._sequences[key]
