"""Text of hostile origin on a page: what is invisible in it is written out, and its size is bounded.

Observations, critiques, names and model output may hold anything. The templates escape all markup by themselves; what
is left are characters that draw nothing and do something (controls, overrides of the writing direction), marks piled
on one letter, and sheer length.
"""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup

from cornerman_leaderboards.tables.cells import HIDDEN

LONGEST = 100_000
"""Characters of one text that a page shows at most."""
NO_CHARACTERS = "\ufffe\uffff"
"""Code points that no XML may hold."""
LONGEST_LINE = 160
"""Characters of a name that a page shows at most."""
MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
PILED = re.compile(f"({MARKS}{{4}}){MARKS}+")
"""More combining marks than any writing puts on a letter; they would cover the lines above."""


def visible(text: str) -> str:
    """A text with what is invisible in it written as an escape, line breaks and tabs aside."""
    if not text.replace("\n", "").replace("\t", "").isprintable():
        text = "".join(_escape(c) for c in text)
    return PILED.sub(r"\1", text)


def _escape(character: str) -> str:
    hidden = character in NO_CHARACTERS or unicodedata.category(character) in HIDDEN
    if character in "\n\t" or not hidden:
        return character
    return character.encode("unicode_escape").decode()


def words(text: str, limit: int = LONGEST) -> str:
    """A text of several lines, in at most so many characters; the last ones say how much was left out."""
    if len(text) <= limit:
        return visible(text)
    return f"{visible(text[:limit])}… ({len(text) - limit:,} more characters)"


def name(text: str, limit: int = LONGEST_LINE) -> str:
    """A text on one line, its middle left out where it is long: names that share a beginning differ at the end."""
    line = " ".join(visible(text).split())
    return line if len(line) <= limit else f"{line[: limit // 2]}…{line[-(limit - limit // 2 - 1) :]}"


def shown(value: object) -> object:
    """What a template writes for a value: every text passes here that is not markup made by the templates."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return words(value)
