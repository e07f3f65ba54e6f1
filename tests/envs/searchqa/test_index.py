"""BM25 over small corpora, and over a large one when SEARCHQA_CORPUS names it."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from cornerman_envs.searchqa import formats
from cornerman_envs.searchqa.index import MAX_WORDS, Document, Index, words

ANIMALS = [
    Document("Lion", "A lion lives in the savanna."),
    Document("Penguin", "A penguin lives on ice."),
    Document("Zürich", "A town on a lake."),
    Document("Copy", "Same words."),
    Document("Copy", "Same words."),
]


def test_words_are_folded() -> None:
    assert words("Zürich's ÉCOLE, no. 5") == ["zurich", "s", "ecole", "no", "5"]


def test_best_documents_come_first_and_strangers_never() -> None:
    index = Index(ANIMALS)
    assert index.search("where does the lion live: savanna", 3)[0].title == "Lion"
    assert [d.title for d in index.search("zurich", 5)] == ["Zürich"]
    assert index.search("elephant", 5) == []
    assert index.search("", 5) == []
    assert len(index.search("a lives", 1)) == 1


def test_equals_keep_the_order_of_the_corpus() -> None:
    found = Index(ANIMALS).search("copy", 5)
    assert [id(document) for document in found] == [id(ANIMALS[3]), id(ANIMALS[4])]


def test_scores_are_those_of_the_formula() -> None:
    """ln(1 + (N - n + 0.5) / (n + 0.5)) · tf / (tf + k1 (1 - b + b · length / mean)), for one word in one document."""
    index = Index(ANIMALS)
    lengths = [len(words(f"{d.title} {d.text}")) for d in ANIMALS]
    norm = 1.5 * (1 - 0.75 + 0.75 * lengths[1] / (sum(lengths) / len(lengths)))
    expected = math.log(1 + (5 - 1 + 0.5) / (1 + 0.5)) * 2 / (2 + norm)
    scores = index._bm25.get_scores(["penguin"])
    assert scores[1] == pytest.approx(expected, rel=1e-5)


def test_words_after_the_bound_are_ignored() -> None:
    filler = " ".join(f"word{i}" for i in range(MAX_WORDS))
    assert Index(ANIMALS).search(f"{filler} lion", 3) == []
    assert Index(ANIMALS).search(f"lion {filler}", 3)


def test_a_corpus_needs_documents() -> None:
    with pytest.raises(ValueError, match="at least one document"):
        Index([])


def test_titles_of_a_published_corpus_are_found() -> None:
    value = os.environ.get("SEARCHQA_CORPUS")
    if not value:
        pytest.skip("SEARCHQA_CORPUS names no corpus file")
    documents = formats.corpus(Path(value))
    index = Index(documents)
    sample = documents[:: max(1, len(documents) // 200)]
    found = [any(d.title == document.title for d in index.search(document.title, 3)) for document in sample]
    assert sum(found) / len(found) > 0.9
