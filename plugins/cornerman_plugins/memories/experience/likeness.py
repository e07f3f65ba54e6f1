"""How alike two texts are, by their words."""

from __future__ import annotations

import math
import re
from collections import Counter

WORD = re.compile(r"[^\W_]+")


def likeness(one: str, other: str) -> float:
    """Cosine of the word counts of two texts, in [0, 1]; numbers count as words, case does not."""
    a, b = counts(one), counts(other)
    if not a or not b:
        return float(a == b)
    dot = sum(n * b[word] for word, n in a.items())
    return min(1.0, dot / math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values())))


def counts(text: str) -> Counter[str]:
    """How often each word stands in a text."""
    return Counter(WORD.findall(text.casefold()))
