"""Sample among given answers: the model's distribution over tokens, restricted to those that lead to one of them.

Token by token as a constrained decoder would, but in one forward pass for any number of samples: the answers form a
tree, the pass gives the logits wherever it branches, and each sample walks down from the root. Where only one token can
come nothing is run, since its probability is 1.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch

from cornerman.model import Sampling
from cornerman.records import Completion, Message, Usage
from cornerman.seeds import generator
from cornerman_plugins.models.hf.attention import Segment
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.models.hf.sampling import Draw, draw
from cornerman_plugins.models.hf.tree import TreeJob
from cornerman_plugins.models.hf.trie import ROOT, Trie


class ChooseJob(TreeJob):
    """One completion a seed, each one of `sampling.choices`, the token that ends the turn included.

    Log-probabilities and entropies are of the model's distribution at temperature 1, renormalised over the tokens that
    were allowed: they sum to the log-probability of a choice under the restriction, not under the free model.
    """

    def __init__(
        self, messages: Sequence[Message], sampling: Sampling, seeds: Sequence[int], session: str | None
    ) -> None:
        super().__init__(messages, session)
        self._sampling = sampling
        self._choices = sampling.choices or ()
        self._seeds = seeds
        self._completions: list[Completion] = []

    def prepare(self, chat: Chat) -> int:
        answers = [chat.answer(text) for text in self._choices]
        self._trie = Trie(answers)
        self._nodes = self._trie.deciding()
        self._choice_at = dict(zip(self._trie.leaves, self._choices, strict=True))
        return max(map(len, answers))

    def segments(self) -> list[Segment]:
        if self._completions:
            return []
        return self.grown()

    def step(self, logits: list[torch.Tensor]) -> None:
        rows = dict(zip([ROOT, *self._nodes], torch.cat(logits), strict=True))
        self._completions = [self._walk(rows, generator(seed)) for seed in self._seeds]

    def _walk(self, rows: dict[int, torch.Tensor], random_numbers: random.Random) -> Completion:
        node, ids, draws = ROOT, [], []
        while children := self._trie.children[node]:
            tokens = list(children)
            if len(tokens) == 1:
                choice = Draw(0, 0.0, 0.0)
            else:
                allowed = rows[node][tokens][None]
                [choice] = draw(allowed, self._sampling.temperature, self._sampling.top_p, [random_numbers])
            token = tokens[choice.index]
            ids.append(token)
            draws.append(choice)
            node = children[token]
        return Completion(
            text=self._choice_at[node],
            ids=tuple(ids),
            logprobs=tuple(d.logprob for d in draws),
            entropies=tuple(d.entropy for d in draws),
        )

    def completions(self) -> tuple[Completion, ...]:
        return tuple(self._completions)

    def usage(self) -> Usage:
        return Usage(output=sum(len(c.ids or ()) for c in self._completions))
