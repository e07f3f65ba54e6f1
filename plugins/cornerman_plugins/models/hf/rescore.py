"""Log-probabilities of token ids that are said to be this model's: by teacher forcing, in one forward pass."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from cornerman.errors import ModelError
from cornerman.model import Rescored
from cornerman.records import Completion, Message, Usage
from cornerman_plugins.models.hf.attention import Segment
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.models.hf.tree import TreeJob
from cornerman_plugins.models.hf.trie import ROOT, Trie


class RescoreJob(TreeJob):
    """Each sequence of ids as the answer to the messages; with `choices` over the tokens that lead to one of them."""

    def __init__(
        self,
        messages: Sequence[Message],
        ids: Sequence[Sequence[int]],
        choices: Sequence[str] | None,
        session: str | None,
    ) -> None:
        super().__init__(messages, session)
        self.rescored: list[Rescored] = []
        self._ids = ids
        self._choices = choices

    def prepare(self, chat: Chat) -> int:
        size = self._engine.runner.vocabulary
        if not all(sequence and all(0 <= i < size for i in sequence) for sequence in self._ids):
            raise ModelError(f"token ids to rescore are none of the {size} that model '{self._engine.name}' has.")
        self._trie = Trie(self._ids)
        self._nodes = self._trie.inner()
        self._allowed = None if self._choices is None else Trie(chat.answer(text) for text in self._choices)
        return max(map(len, self._ids))

    def segments(self) -> list[Segment]:
        if self.rescored:
            return []
        return self.grown()

    def step(self, logits: list[torch.Tensor]) -> None:
        rows = dict(zip([ROOT, *self._nodes], torch.cat(logits), strict=True))
        self.rescored = [self._rescored(sequence, rows) for sequence in self._ids]

    def _rescored(self, sequence: Sequence[int], rows: dict[int, torch.Tensor]) -> Rescored:
        ends = self._engine.chat.end_ids
        text = self._engine.chat.text(sequence[:-1] if sequence[-1] in ends else sequence)
        node, choice, logprobs, best = ROOT, ROOT, [], []
        for token in sequence:
            among = None if self._allowed is None else list(self._allowed.children[choice])
            if among is not None and token not in among:
                return Rescored(prompt=len(self._prompt), text=text, logprobs=(), best=(), allowed=False)
            if among is None or len(among) > 1:
                logits = rows[node] if among is None else rows[node][among]
                every = torch.log_softmax(logits, dim=-1)
                logprobs.append(float(every[token if among is None else among.index(token)]))
                best.append(float(every.max()))
            else:
                logprobs.append(0.0)
                best.append(0.0)
            node = self._trie.children[node][token]
            choice = ROOT if self._allowed is None else self._allowed.children[choice][token]
        whole = self._allowed is None or not self._allowed.children[choice]
        return Rescored(prompt=len(self._prompt), text=text, logprobs=tuple(logprobs), best=tuple(best), allowed=whole)

    def completions(self) -> tuple[Completion, ...]:
        return ()

    def usage(self) -> Usage:
        return Usage()
