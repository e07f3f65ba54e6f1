"""What it cost, a row a method and role: calls and tokens an episode, seconds a call."""

from __future__ import annotations

import typing
from collections.abc import Sequence

from cornerman.records import Role
from cornerman.summary import Row
from cornerman_leaderboards.tables.cells import NONE, Cell, clean, money, per_episode, seconds
from cornerman_leaderboards.tables.grid import KEPT, Column, Grid, Section
from cornerman_leaderboards.tables.outcome import METHOD, RUN
from cornerman_leaderboards.tables.page import Note

THINKING = Column("thinking\n/ep", 35)
"""Shown where a model has any."""
MONEY = Column("$\n/ep", 90)
"""Shown where the experiment gives prices."""
ROLES: tuple[str, ...] = typing.get_args(Role)


def cost_grid(rows: Sequence[Row], runs: bool = False) -> Grid | None:
    """The grid of some rows, or None where no method called a model. runs: name each row's run."""
    lines = [line(row, role, runs) for row in rows for role in ROLES if role in row.tokens]
    if not lines:
        return None
    thinks = any(usage.reasoning for row in rows for usage in row.tokens.values())
    priced = any(row.dollars for row in rows)
    columns = [
        METHOD,
        *([RUN] if runs else []),
        Column("role", KEPT, right=False),
        Column("calls\n/ep", 20),
        Column("fresh\n/ep", 90),
        Column("cached\n/ep", 60),
        Column("output\n/ep", 90),
        THINKING,
        MONEY,
        Column("p50\ns", 40),
        Column("p95\ns", 30),
        Column("queue\np95 s", 10),
    ]
    grid = Grid(columns, [Section(lines)])
    hidden = [column for column, shown in ((THINKING, thinks), (MONEY, priced)) if not shown]
    return grid.only([i for i, c in enumerate(columns) if not any(c is h for h in hidden)])


NOTE = Note(
    "Costs are by role: calls and tokens an episode, seconds a call. Fresh prompt tokens were computed, cached ones "
    "came from a prefix cache."
)
"""What stands below a table with costs."""


def cost_notes(rows: Sequence[Row]) -> list[Note]:
    """The sentences below a table with costs: how much was read from a shared tape, or came from the response cache."""
    taped = sum(usage.taped for row in rows for usage in row.tokens.values())
    shared = f"{taped} calls were answered from the baseline's tape: billed, but neither made nor timed."
    hits = sum(usage.hits for row in rows for usage in row.tokens.values())
    kept = f"{hits} calls were answered from the response cache: billed, but neither made nor timed."
    return [NOTE, *([Note(shared)] if taped else []), *([Note(kept)] if hits else [])]


def line(row: Row, role: str, runs: bool) -> list[Cell]:
    """One method's cost by one role; the method is named before the first."""
    first = role == next(r for r in ROLES if r in row.tokens)
    usage, episodes, latency = row.tokens[role], max(1, row.recorded), row.latency[role]
    counts = (usage.calls, usage.prompt, usage.cached, usage.output, usage.reasoning)
    times = (latency["p50"], latency["p95"], latency["queue_p95"])
    return [
        Cell(clean(row.method) if first else ""),
        *([Cell(clean(row.run) if first else "", "dim")] if runs else []),
        Cell(role),
        *(Cell(per_episode(count / episodes)) for count in counts),
        Cell(money(row.dollars[role] / episodes) if row.dollars else NONE),
        *(Cell(seconds(time)) for time in times),
    ]
