"""The token tree: shared beginnings, branching nodes, visibility."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the extra 'hf'")

from hypothesis import given
from hypothesis import strategies as st

from cornerman_plugins.models.hf.trie import ROOT, Trie

sequences = st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=12)


def path(trie: Trie, node: int) -> list[int]:
    tokens: list[int] = []
    while node != ROOT:
        tokens.append(trie.tokens[node])
        node = trie.parents[node]
    return tokens[::-1]


@given(sequences)
def test_each_sequence_is_the_path_to_its_leaf_and_beginnings_are_shared(given_sequences: list[list[int]]) -> None:
    trie = Trie(given_sequences)
    assert [path(trie, leaf) for leaf in trie.leaves] == given_sequences
    prefixes = {tuple(s[:n]) for s in given_sequences for n in range(1, len(s) + 1)}
    assert len(trie.tokens) - 1 == len(prefixes)


@given(sequences)
def test_a_node_sees_exactly_its_path(given_sequences: list[list[int]]) -> None:
    trie = Trie(given_sequences)
    nodes = trie.inner()
    mask = trie.visible(nodes)
    for i, node in enumerate(nodes):
        seen = [trie.tokens[other] for j, other in enumerate(nodes) if mask[i, j]]
        assert seen == path(trie, node)


def test_deciding_nodes_lead_to_a_branch() -> None:
    # 1 2 |branches| 3 ... and 1 2 4; 5 6 7 never branches after the root
    trie = Trie([[1, 2, 3, 9], [1, 2, 4, 9], [5, 6, 7, 9]])
    assert [path(trie, node) for node in trie.deciding()] == [[1], [1, 2]]
    assert Trie([[1, 2, 9]]).deciding() == []
