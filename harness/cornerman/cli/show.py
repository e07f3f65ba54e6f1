"""`cornerman show RUN [EPISODE]`: the episodes of a run, or one of them to read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cornerman.cli.output import emit, table
from cornerman.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from cornerman.picking import Numbered


def command(
    run: Path = typer.Argument(..., help="A run's folder."),
    episode: str = typer.Argument(None, help="An episode: its number, or TASK, TASK/METHOD or TASK/METHOD/TRIAL."),
    method: str = typer.Option(None, "--method", help="List the episodes of this method only."),
    task: str = typer.Option(None, "--task", metavar="ID", help="List the episodes of this task only."),
    failed: bool = typer.Option(False, "--failed", help="List the episodes that were not solved."),
    json: bool = typer.Option(False, "--json", help="The list, or the episode's record, alone on stdout."),
) -> None:
    """Show an episode as a conversation: what the actor saw and did, what critics said, and what came of it.

    Without EPISODE, or with one that names several, list them with their numbers.
    """
    from cornerman.cli.conversation import conversation
    from cornerman.cli.screen import Screen
    from cornerman.picking import matching, numbered

    found = numbered(run)
    found = only(found, "method", method, [n.episode.method for n in found])
    found = only(found, "task", task, [n.episode.task.id for n in found])
    found = [n for n in found if not (failed and n.episode.success)]
    if episode is not None:
        found = matching(found, episode, run)
    if episode is None or len(found) > 1:
        list_episodes(found, json)
    elif json:
        emit(found[0].episode)
    else:
        screen = Screen()
        for part in conversation(found[0].episode, found[0].number):
            screen.say(part.text, part.style)


def only(found: Sequence[Numbered], flag: str, wanted: str | None, values: Sequence[str]) -> list[Numbered]:
    """The episodes of one method or task; an unknown one is answered with the nearest."""
    if wanted is not None and wanted not in values:
        raise UsageError(f"the run has no {flag} '{wanted}'; {did_you_mean(wanted, values)}")
    return [n for n, value in zip(found, values, strict=True) if wanted in (None, value)]


def list_episodes(found: Sequence[Numbered], json: bool) -> None:
    """A row for each episode."""
    rows = [row(n) for n in found]
    if json:
        emit(rows)
        return
    heads = ["#", "task", "method", "trial", "solved", "score", "end", "attempts", "turns", "critiques", "delivered"]
    keys = ["number", "task", "method", "trial", "success", "score", "end", *heads[7:]]
    table(heads, [[cell(r[key]) for key in keys] for r in rows])


def row(found: Numbered) -> dict[str, Any]:
    """An episode in numbers."""
    from cornerman.tally import critiques

    episode = found.episode
    said = critiques(episode)
    return {
        "number": found.number,
        "task": episode.task.id,
        "method": episode.method,
        "trial": episode.trial,
        "success": episode.success,
        "score": episode.score,
        "end": str(episode.end),
        "error": episode.error,
        "attempts": len(episode.attempts),
        "turns": sum(len(a.turns) for a in episode.attempts),
        "critiques": len(said),
        "delivered": sum(c.delivered for c in said),
    }


def cell(value: Any) -> str:
    """A value of a row as a table shows it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
