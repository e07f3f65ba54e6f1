"""The columns of a board's table: what each shows of a method, and by which number it is sorted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cornerman.summary import Delta
from cornerman_leaderboards.site.lines import Line
from cornerman_leaderboards.tables.cells import (
    NONE,
    money,
    p_value,
    per_episode,
    percent,
    percent_interval,
    points,
    points_interval,
)


@dataclass(frozen=True)
class Shown:
    """A cell: its text, a second one behind it, the number that it is sorted by, its style."""

    text: str
    more: str = ""
    sort: float | None = None
    style: str = ""


@dataclass(frozen=True)
class Column:
    """A column. about: what it holds, in a sentence. down: whether its largest numbers are looked for first."""

    head: str
    about: str
    cell: Callable[[Line], Shown]
    down: bool = True


def columns(found: Sequence[Line]) -> list[Column]:
    """The columns that say something of these methods."""
    several_trials = any(line.row.aa_flip_rate is not None for line in found)
    out = [Column("% solved", "Share of all requested episodes, with its 95 % interval.", _solved)]
    if any(line.row.delta for line in found):
        out += [
            Column("Δ points", "Percentage points to the baseline, paired by task, with the 95 % interval.", _delta),
            Column("p", "Corrected for all comparisons of the run.", _of(_p), down=False),
            Column("helped", "Episodes that this method solved and the baseline did not.", _of(_helped)),
            Column("harmed", "Episodes that the baseline solved and this method did not.", _of(_harmed), down=False),
        ]
    if several_trials:
        out.append(Column("A/A flips", "How often two trials of one task disagree, in percent.", _flips, down=False))
    out += [
        Column("critiques", "Those that reached the actor or changed its action, an episode.", _critiques),
        Column("turns", "An episode.", _turns, down=False),
    ]
    if any(line.tokens for line in found):
        out.append(Column("tokens", "Of all roles, an episode: prompts and output.", _tokens, down=False))
    if any(line.dollars for line in found):
        out.append(Column("$", "Of all roles, an episode.", _dollars, down=False))
    if any(line.row.score != line.row.success_rate for line in found):
        out.append(Column("score", "Mean score of an episode, in percent.", _score))
    if any(line.row.errors for line in found):
        out.append(Column("errors", "Episodes that ended in an error; they count as not solved.", _errors, down=False))
    return out


def _solved(line: Line) -> Shown:
    row = line.row
    return Shown(percent(row.success_rate), percent_interval(row.ci), row.success_rate, "strong")


def _delta(line: Line) -> Shown:
    delta = line.row.delta
    if delta is None:
        return Shown("baseline" if line.baseline else "other actor", style="quiet")
    style = "" if line.direction == "even" else line.direction
    return Shown(points(delta.difference), points_interval(delta.ci), delta.difference, style)


def _of(show: Callable[[Delta], Shown]) -> Callable[[Line], Shown]:
    return lambda line: Shown(NONE, style="quiet") if line.row.delta is None else show(line.row.delta)


def _p(delta: Delta) -> Shown:
    return Shown(p_value(delta.p_holm), sort=delta.p_holm)


def _helped(delta: Delta) -> Shown:
    return Shown(str(delta.helped), sort=delta.helped)


def _harmed(delta: Delta) -> Shown:
    return Shown(str(delta.harmed), sort=delta.harmed)


def _flips(line: Line) -> Shown:
    rate = line.row.aa_flip_rate
    return Shown(NONE, style="quiet") if rate is None else Shown(percent(rate), sort=rate)


def _critiques(line: Line) -> Shown:
    number = line.row.interventions_per_episode
    return Shown(per_episode(number), sort=number)


def _turns(line: Line) -> Shown:
    return Shown(per_episode(line.row.turns_per_episode), sort=line.row.turns_per_episode)


def _tokens(line: Line) -> Shown:
    return Shown(per_episode(line.tokens), sort=line.tokens)


def _dollars(line: Line) -> Shown:
    return Shown(money(line.dollars), sort=line.dollars) if line.row.dollars else Shown(NONE, style="quiet")


def _score(line: Line) -> Shown:
    return Shown(percent(line.row.score), sort=line.row.score)


def _errors(line: Line) -> Shown:
    number = sum(line.row.errors.values())
    return Shown(str(number), sort=number, style="strong" if number else "quiet")
