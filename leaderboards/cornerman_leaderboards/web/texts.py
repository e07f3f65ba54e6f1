"""Texts of strangers on a page: what is invisible in them is written out, and long ones are cut."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from cornerman_leaderboards.web.text import visible

SMALL = re.compile("[a-z]")
LIMIT = 4000
"""Characters of one text that a page shows; the whole is a link away."""


@dataclass(frozen=True)
class Excerpt:
    """The beginning of a text, how many characters follow it, and where the whole can be read, if anywhere."""

    text: str
    left: int = 0
    href: str | None = None

    @property
    def drawn(self) -> bool:
        """Whether it holds a drawing, as the grids of games: lines as long as each other that have no small letter."""
        lines = self.text.split("\n")
        return any(len(a) == len(b) > 2 and not SMALL.search(a + b) for a, b in itertools.pairwise(lines))


@dataclass
class Texts:
    """The texts of one page, numbered as they are shown, so that each can be asked for as a whole.

    href: makes the address of a text from its number; None for a page that stands alone.
    """

    href: Callable[[int], str] | None = None
    limit: int = LIMIT
    all: list[str] = field(default_factory=list)

    def __call__(self, text: str | None) -> Excerpt:
        """A text as the page shows it."""
        whole = text or ""
        self.all.append(whole)
        left = max(0, len(whole) - self.limit)
        href = self.href(len(self.all) - 1) if left and self.href is not None else None
        return Excerpt(visible(whole[: self.limit]), left, href)
