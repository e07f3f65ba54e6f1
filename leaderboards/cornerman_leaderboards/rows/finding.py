"""What a verification finds."""

from __future__ import annotations

from typing import Any

import msgspec

from cornerman.records import Episode


class Finding(msgspec.Struct, frozen=True):
    """Something that differs: where, and how."""

    where: str
    problem: str


def place(episode: Episode) -> str:
    """An episode as findings name it."""
    return "/".join(map(str, episode.key))


def short(value: Any) -> str:
    """A value as a finding shows it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
