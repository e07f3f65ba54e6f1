"""Sentences that a model may say, written with alternatives: "look in the {fridge|drawer} first"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
MOST = 10_000
"""Sentences that forms may stand for; more would make a tree of answers too large to run."""


def expanded(forms: Sequence[str]) -> tuple[str, ...]:
    """All sentences that the forms stand for, in order and each once. Raises ValueError where there are too many."""
    found: dict[str, None] = {}
    for form in forms:
        parts = [part.split("|") if i % 2 else [part] for i, part in enumerate(ALTERNATIVES.split(form))]
        for words in itertools.product(*parts):
            found["".join(words)] = None
            if len(found) > MOST:
                raise ValueError(f"the forms stand for more than {MOST:,} sentences")
    return tuple(found)
