"""Whose words they are: what a scenario tells its user in the second person, as the user says it of itself."""

from __future__ import annotations

import re

OBJECT = r"(?<=\bto )|(?<=\bfor )|(?<=\bwith )|(?<=\bfrom )|(?<=\bof )"
SWAPS = {
    "you are": "I am",
    "you're": "I'm",
    "you were": "I was",
    "yourself": "myself",
    "yours": "mine",
    "your": "my",
    "you": "I",
}
YOU = re.compile(rf"({OBJECT})you\b|\b({'|'.join(SWAPS)})\b", re.IGNORECASE)


def first_person(text: str) -> str:
    """Whole words of the second person in the first; a capital letter is kept. It swaps words and parses nothing."""
    return YOU.sub(swapped, text)


def swapped(found: re.Match[str]) -> str:
    """What stands in place of a match."""
    old = found[0]
    new = SWAPS[old.lower()] if found[2] else "me"
    return new[0].upper() + new[1:] if old[0].isupper() else new
