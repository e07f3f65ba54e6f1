"""Exact match and F1 between an answer and the gold answers, as SQuAD scores them.

Rajpurkar et al. 2016, "SQuAD: 100,000+ Questions for Machine Comprehension of Text", section 6.1; the best value over
all gold answers counts.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
CLOSED = frozenset({"yes", "no"})
"""Answers that earn no part of the F1 beside another answer, as in HotpotQA's evaluation (Yang et al. 2018)."""


def normalise(text: str) -> str:
    """Lower case, without ASCII punctuation, without the articles a, an, the, and with single spaces."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, golds: Iterable[str]) -> bool:
    """Whether the normalised answer equals a normalised gold answer. An answer of nothing never matches."""
    given = normalise(answer)
    return bool(given) and any(given == normalise(gold) for gold in golds)


def f1(answer: str, golds: Iterable[str]) -> float:
    """The harmonic mean of precision and recall over words, in [0,1]; the best over the gold answers."""
    return max((_f1(normalise(answer), normalise(gold)) for gold in golds), default=0.0)


def _f1(given: str, gold: str) -> float:
    if given != gold and (given in CLOSED or gold in CLOSED):
        return 0.0
    words, wanted = given.split(), gold.split()
    common = sum((Counter(words) & Counter(wanted)).values())
    return 2 * common / (len(words) + len(wanted)) if common else 0.0
