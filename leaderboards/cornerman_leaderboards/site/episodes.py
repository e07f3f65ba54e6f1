"""Chosen episodes on pages of their own, to be read turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from cornerman.errors import UsageError
from cornerman.picking import Numbered, matching, numbered
from cornerman.worth.forks import FORKS, Forked, settled_forks
from cornerman_leaderboards.rows.boards import Board
from cornerman_leaderboards.site.lines import Line
from cornerman_leaderboards.site.writing import Files
from cornerman_leaderboards.tables.cells import clean
from cornerman_leaderboards.web.conversation import Page, conversation
from cornerman_leaderboards.web.played import played

MOST = 500
"""Episodes that a site holds at most: each is a page."""

Chosen = dict[Path, list[Numbered]]
"""The chosen episodes of each run folder."""


@dataclass(frozen=True)
class Reading:
    """An episode's page: its path in the board's folder, and whose it is."""

    path: str
    line: Line
    found: Numbered


def choose(wanted: Sequence[str], runs: Sequence[Path]) -> Chosen:
    """The episodes that `RUN:EPISODE` name, an episode as `cornerman show` takes it: all those that fit.

    Raises `UsageError` for a run that is none of the site's, and for an episode that it does not hold.
    """
    out: Chosen = {}
    for text in wanted:
        run = next((r for r in sorted(runs, key=lambda r: -len(str(r))) if text.startswith(f"{r}:")), None)
        if run is None:
            raise UsageError(clean(f"--episodes {text}: write RUN:EPISODE, with a RUN that the site is built of"))
        held = out.setdefault(run, [])
        held += [n for n in matching(numbered(run), text.removeprefix(f"{run}:"), run) if n not in held]
    if sum(map(len, out.values())) > MOST:
        raise UsageError(f"--episodes names more than {MOST} episodes; a site holds no more")
    return out


def write_episodes(
    templates: jinja2.Environment, files: Files, folder: str, board: Board, lines: Sequence[Line], chosen: Chosen
) -> list[Reading]:
    """Write the pages of a board's chosen episodes."""
    out = []
    for run, episodes in chosen.items():
        forks: list[Forked] = list(settled_forks(run).values()) if (run / FORKS).is_file() else []
        of = {line.row.method: line for line in lines if line.run.folder == run}
        for found in episodes:
            line = of.get(found.episode.method)
            if line is None:
                continue
            reading = Reading(f"episodes/{line.slug}-{found.number}.html", line, found)
            shown = conversation(found.episode, found.number, played(found.episode, forks))
            values = {"root": "../../../", "board": board, "line": line, "c": shown, "page": Page()}
            files.add(f"{folder}/{reading.path}", templates.get_template("episode.html").render(values))
            out.append(reading)
    return out
