"""A board in a sentence or two, from its figures."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman_leaderboards.site.lines import Line, groups
from cornerman_leaderboards.tables.cells import counted
from cornerman_leaderboards.web.text import name


def headline(found: Sequence[Line]) -> str:
    """What the board shows: how many methods do better than their baseline, how many worse."""
    compared = groups(found)
    own = [line for _, lines in compared for line in lines]
    if not own:
        return f"{counted(len(found), 'method')}, none of which is compared with another."
    better, worse = (sum(line.direction == way for line in own) for way in ("better", "worse"))
    against = name(compared[0][0].label) if len(compared) == 1 else "their baselines"
    even = len(own) - better - worse
    if even == len(own):
        if even == 1:
            return f"The difference to {against} could be luck."
        return f"None of the {even} differences to {against} is more than luck could make."
    parts = []
    if better:
        parts.append(f"{better} of {counted(len(own), 'method')} {verb(better)} better than {against}")
    if worse:
        parts.append(f"{worse} {verb(worse)} worse" + ("" if better else f" than {against}"))
    luck = f" For {'one' if even == 1 else even} the difference could be luck." if even else ""
    return " and ".join(parts) + "." + luck


def verb(number: int) -> str:
    """The verb for so many methods."""
    return "does" if number == 1 else "do"


def best(found: Sequence[Line]) -> Line | None:
    """The best of the methods that see nothing privileged and have the baseline's actor, if it solved a task."""
    return next(
        (line for line in found if not (line.row.privileged or line.row.reference) and line.row.successes), None
    )
