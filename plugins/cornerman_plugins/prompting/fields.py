"""Reading what a critic was asked to write: labelled lines, tags, and words of a closed set.

Nothing is searched for within other text: a field counts when it stands where it was asked for, once. White space and
case do not matter, everything else does, so that what cannot be read is told from what says no.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def labelled(text: str, labels: Sequence[str]) -> dict[str, str] | None:
    """What stands after each label, from lines of the form "Label: text"; a text goes on up to the next label.

    Lines before the first label are left out. None unless every label opens exactly one line.
    """
    known = {_folded(label): label for label in labels}
    found: dict[str, str] = {}
    current = None
    for line in text.splitlines():
        head, colon, rest = line.partition(":")
        label = known.get(_folded(head)) if colon else None
        if label is not None:
            if label in found:
                return None
            found[label], current = rest.strip(), label
        elif current is not None:
            found[current] = f"{found[current]}\n{line.strip()}".strip()
    return found if len(found) == len(labels) else None


def tagged(text: str, tag: str) -> str | None:
    """What stands between <tag> and </tag>. None unless each of them is there exactly once, in this order."""
    name = re.escape(tag)
    opened = list(re.finditer(rf"<\s*{name}\s*>", text, re.IGNORECASE))
    closed = list(re.finditer(rf"<\s*/\s*{name}\s*>", text, re.IGNORECASE))
    if len(opened) != 1 or len(closed) != 1 or opened[0].end() > closed[0].start():
        return None
    return text[opened[0].end() : closed[0].start()].strip()


def one_of(text: str | None, words: Sequence[str]) -> str | None:
    """The word of a closed set that a text is, or None."""
    return {_folded(word): word for word in words}.get(_folded(text or ""))


def opening_word(text: str, words: Sequence[str]) -> str | None:
    """The word of a closed set that a text begins with, as in "yes, since the lamp is lit", or None."""
    first = re.match(r"\s*(\w+)", text)
    return one_of(first[1], words) if first else None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
