"""A corpus of documents and its BM25 index.

Okapi BM25 (Robertson and Zaragoza 2009) in Lucene's variant, by the library bm25s (Lù 2024, arXiv 2407.03618), with
k1 = 1.5 and b = 0.75. The words of a title count as words of the text.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

MAX_WORDS = 100
"""How many distinct words of a query are looked up; the rest is ignored."""

_WORD = re.compile(r"\w+")


class Document(msgspec.Struct, frozen=True):
    """One entry of a corpus."""

    title: str
    text: str


def words(text: str) -> list[str]:
    """The words of a text in lower case, without accents; no stemming, no stop words."""
    plain = unicodedata.normalize("NFKD", text.lower())
    return _WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))


class Index:
    """Finds documents by words. Never changes, so that any number of environments may share one."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = tuple(documents)
        if not self.documents:
            raise ValueError("a corpus needs at least one document")

    @functools.cached_property
    def _bm25(self) -> Any:
        """Built at the first search. Word numbers go by first appearance, so that sums do not depend on a hash seed."""
        numbers: dict[str, int] = {}
        rows = [
            [numbers.setdefault(word, len(numbers)) for word in words(f"{document.title} {document.text}")]
            for document in self.documents
        ]
        numbers.setdefault("", len(numbers))
        index = importlib.import_module("bm25s").BM25(method="lucene", k1=1.5, b=0.75)
        index.index((rows, numbers), show_progress=False)
        return index

    def search(self, query: str, k: int) -> list[Document]:
        """The k best documents, best first; equals in the order of the corpus; none that shares no word."""
        wanted = list(dict.fromkeys(words(query)))[:MAX_WORDS]
        known = self._bm25.get_tokens_ids(wanted)
        if not known:
            return []
        scores = self._bm25.get_scores_from_ids(known)
        best = np.argsort(-scores, kind="stable")[:k]
        return [self.documents[i] for i in best if scores[i] > 0]


def versions() -> dict[str, str]:
    """The versions on which rankings depend."""
    return {name: importlib.metadata.version(name) for name in ("bm25s", "numpy")}
