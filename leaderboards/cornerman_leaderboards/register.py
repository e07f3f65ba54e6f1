"""What the leaderboards folder enters into the catalogue. Light: imports no table and no plot."""

from __future__ import annotations

from cornerman.hookspecs import hookimpl
from cornerman.registry import Registry


@hookimpl
def register(registry: Registry) -> None:
    """Enter the table and the commands of the leaderboards."""
    at = "cornerman_leaderboards"
    commands = f"{at}.commands"
    registry.add("observer", "table", f"{at}.tables.table:Table", doc="the table when a run is over")
    registry.add(
        "command", "compare", f"{commands}.compare:command", doc="Compare the methods of one run or of several."
    )
    registry.add("command", "leaderboard", f"{commands}.leaderboard:app", doc="Show a suite's board of recorded runs.")
    registry.add("command", "view", f"{commands}.view:command", doc="Read the episodes of a run in a browser.")
