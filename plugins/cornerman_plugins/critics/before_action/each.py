"""Judging every candidate for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from cornerman import Critique
from cornerman.records import Candidate


async def each(
    candidates: Sequence[Candidate], judge: Callable[[Candidate], Awaitable[Critique | None]]
) -> list[Critique | None]:
    """A critique of each candidate, all asked for at the same time; a text that comes again is judged once."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        first.setdefault(candidate.text, candidate)
    said = dict(zip(first, await asyncio.gather(*map(judge, first.values())), strict=True))
    return [said[candidate.text] for candidate in candidates]
