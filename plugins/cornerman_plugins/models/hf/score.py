"""Score continuations in one forward pass: they share the prompt, and their common beginnings, as a tree."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from cornerman.records import Completion, Message, Usage
from cornerman_plugins.models.hf.attention import Segment
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.models.hf.sampling import log_probabilities
from cornerman_plugins.models.hf.tree import TreeJob
from cornerman_plugins.models.hf.trie import ROOT, Trie


class ScoreJob(TreeJob):
    """Log-probabilities of each continuation as the assistant's whole answer, the token that ends the turn included.

    The usage counts each distinct beginning of a continuation that was run as a fresh prompt token.
    """

    def __init__(self, messages: Sequence[Message], continuations: Sequence[str], session: str | None) -> None:
        super().__init__(messages, session)
        self._continuations = continuations
        self._completions: tuple[Completion, ...] | None = None

    def prepare(self, chat: Chat) -> int:
        self._answers = [chat.answer(text) for text in self._continuations]
        self._trie = Trie(self._answers)
        self._nodes = self._trie.inner()
        return max(map(len, self._answers))

    def segments(self) -> list[Segment]:
        if self._completions is not None:
            return []
        return self.grown()

    def step(self, logits: list[torch.Tensor]) -> None:
        logprobs, entropies = log_probabilities(torch.cat(logits))
        row = {node: i for i, node in enumerate([ROOT, *self._nodes])}
        paths = [self._rows(answer, row) for answer in self._answers]
        flat_rows = [i for path in paths for i in path]
        flat_ids = [i for answer in self._answers for i in answer]
        values = iter(logprobs[flat_rows, flat_ids].tolist())
        entropy = entropies.tolist()
        self._completions = tuple(
            Completion(
                text=text,
                ids=answer,
                logprobs=tuple(next(values) for _ in answer),
                entropies=tuple(entropy[i] for i in path),
                finish="scored",
            )
            for text, answer, path in zip(self._continuations, self._answers, paths, strict=True)
        )

    def _rows(self, answer: Sequence[int], row: dict[int, int]) -> list[int]:
        """For each token of an answer, the row of the logits that foretell it."""
        rows, node = [], ROOT
        for token in answer:
            rows.append(row[node])
            node = self._trie.children[node][token]
        return rows

    def completions(self) -> tuple[Completion, ...]:
        assert self._completions is not None
        return self._completions

    def usage(self) -> Usage:
        return Usage(prompt=len(self._nodes))
