"""Names of files for names of any origin."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

LONGEST = 48


def slugs(names: Sequence[str]) -> list[str]:
    """A file name for each: lower-case letters, digits and hyphens, no two alike, none a path.

    What a name loses, and what tells equal ones apart, a piece of its digest makes up for.
    """
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST].strip("-")
        if plain != name or not plain or plain in found:
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            plain = f"{plain}-{digest}".strip("-")
        base, number = plain, 2
        while plain in found:
            plain, number = f"{base}-{number}", number + 1
        found.append(plain)
    return found
