"""All roles learn in every update."""

from __future__ import annotations

from collections.abc import Iterator

from cornerman_plugins.trainers.schedules.phase import Phase


def synchronous(*, updates: int, roles: tuple[str, ...] = ("actor", "critic"), stage: str = "joint") -> Iterator[Phase]:
    """One phase in which the roles learn together from the same episodes, as ECHO's do (arXiv 2601.06794)."""
    yield Phase(stage=stage, learn=roles, play=roles, updates=updates)
