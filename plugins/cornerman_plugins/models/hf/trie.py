"""Token sequences that share their beginnings, as a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

ROOT = 0


class Trie:
    """A tree of tokens. Node 0 is the root and holds no token; a parent's number is smaller than its children's.

    `leaves[i]` is the node at which the i-th sequence ends.
    """

    def __init__(self, sequences: Iterable[Sequence[int]]) -> None:
        self.tokens: list[int] = [-1]
        self.parents: list[int] = [-1]
        self.depths: list[int] = [0]
        self.children: list[dict[int, int]] = [{}]
        self.leaves = [self._add(sequence) for sequence in sequences]

    def _add(self, sequence: Sequence[int]) -> int:
        node = ROOT
        for token in sequence:
            child = self.children[node].get(token)
            if child is None:
                child = len(self.tokens)
                self.tokens.append(token)
                self.parents.append(node)
                self.depths.append(self.depths[node] + 1)
                self.children.append({})
                self.children[node][token] = child
            node = child
        return node

    def inner(self) -> list[int]:
        """The nodes that have children, the root left out: those after which a model is asked for the next token."""
        return [node for node, children in enumerate(self.children) if children and node != ROOT]

    def deciding(self) -> list[int]:
        """The nodes with several children and all nodes above those, the root left out."""
        needed = {ROOT}
        for node in range(len(self.tokens) - 1, 0, -1):
            if node in needed or len(self.children[node]) > 1:
                needed |= {node, self.parents[node]}
        return sorted(needed - {ROOT})

    def visible(self, nodes: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Attention among the nodes, [n, n]: each sees itself and the nodes above it. Parents stand before children."""
        place = {node: i for i, node in enumerate(nodes)}
        mask = np.eye(len(nodes), dtype=np.bool_)
        for i, node in enumerate(nodes):
            parent = place.get(self.parents[node])
            if parent is not None:
                mask[i] |= mask[parent]
        return mask
