"""Text of strangers on a terminal: what would move the cursor or reorder a line is shown and not obeyed."""

from __future__ import annotations

import unicodedata

KEPT = "\n\t"
DIRECTION = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that reorder the text around them."""


def visible(text: str) -> str:
    """Text whose control characters are shown and not obeyed: an observation may hold terminal escapes."""
    return "".join(
        c if c in KEPT or not (unicodedata.category(c) == "Cc" or c in DIRECTION) else f"\\x{ord(c):02x}" for c in text
    )
