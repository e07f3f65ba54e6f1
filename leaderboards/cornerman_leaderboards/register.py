"""What the leaderboards folder enters into the catalogue. Light: imports no table and no plot."""

from __future__ import annotations

from cornerman.hookspecs import hookimpl
from cornerman.registry import Registry


@hookimpl
def register(registry: Registry) -> None:
    """Enter the commands of the leaderboards."""
    registry.add("observer", "table", "cornerman_leaderboards.table:Table", doc="the table when a run is over")
