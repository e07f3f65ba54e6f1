"""A prompt and a tree of tokens that grows out of it, in one forward pass."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

import torch

from cornerman_plugins.models.hf.attention import Segment
from cornerman_plugins.models.hf.job import Job
from cornerman_plugins.models.hf.kv import KVSequence
from cornerman_plugins.models.hf.trie import Trie


def tree_segment(sequence: KVSequence, trie: Trie, nodes: Sequence[int], start: int) -> Segment:
    """Nodes of a tree that grows after `start` tokens; logits are wanted after each, and nothing is kept."""
    return Segment(
        sequence,
        [trie.tokens[node] for node in nodes],
        start,
        range(len(nodes)),
        positions=[start + trie.depths[node] - 1 for node in nodes],
        visible=torch.from_numpy(trie.visible(nodes)),
        keep=False,
    )


class TreeJob(Job, ABC):
    """A request whose answers form a tree: `prepare` makes it, and says after which nodes logits are wanted."""

    _trie: Trie
    _nodes: Sequence[int]

    def grown(self) -> list[Segment]:
        """The prompt's end, and the tree where more of it than the root is wanted."""
        prompt = self.prompt_segment()
        if not self._nodes:
            return [prompt]
        return [prompt, tree_segment(self._sequence, self._trie, self._nodes, len(self._prompt))]
