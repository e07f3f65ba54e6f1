"""What stands in an address or a form, read strictly."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import parse_qsl

LONGEST = 500
"""Characters of a name in an address."""


class BadRequest(Exception):
    """An address that no page of the viewer has; the sentence is shown."""


def fields(text: str, known: Collection[str], longest: int = LONGEST) -> dict[str, str]:
    """The fields of a query or form, each once. Raises `BadRequest` for others, and for what is too long."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=20, errors="strict")
    except (ValueError, UnicodeDecodeError) as error:
        raise BadRequest("the address cannot be read") from error
    found = dict(pairs)
    if len(found) < len(pairs) or not set(found) <= set(known):
        raise BadRequest("the address has a field that this page does not know, or one twice")
    if any(len(value) > longest for value in found.values()):
        raise BadRequest(f"a field is longer than {longest} characters")
    return found


def integer(found: Mapping[str, str], name: str, default: int, low: int = 0, high: int = 10**9) -> int:
    """A whole number of a field."""
    text = found.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 12 and low <= int(text) <= high):
        raise BadRequest(f"{name} has to be a whole number from {low} to {high}")
    return int(text)
