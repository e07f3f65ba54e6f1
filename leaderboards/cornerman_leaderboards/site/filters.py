"""The filters of a board's table: who plays, who speaks and when, what they see, what they were trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cornerman.records import Moment
from cornerman_leaderboards.site.lines import Line
from cornerman_leaderboards.web.conversation import MOMENTS

NOBODY = "none"


@dataclass(frozen=True)
class Filter:
    """One choice. options: its values as shown; of: for every method the numbers of those that it has."""

    key: str
    head: str
    options: Sequence[str]
    of: Sequence[Sequence[int]]


def spoke(moment: Moment) -> str:
    """A moment in words."""
    return MOMENTS[moment]


CHOICES: tuple[tuple[str, str, Callable[[Line], Sequence[str]]], ...] = (
    ("actor", "Actor", lambda line: [line.actor]),
    ("critic", "Critic", lambda line: line.row.critics or [NOBODY]),
    ("moment", "Critic speaks", lambda line: [spoke(m) for m in line.moments] or ["never"]),
    ("information", "Sees", lambda line: line.row.information),
    ("trained", "Trained", lambda line: [line.trained]),
    ("privileged", "Privileged", lambda line: ["yes" if line.row.privileged else "no"]),
)


def filters(found: Sequence[Line]) -> list[Filter]:
    """The choices by which these methods differ."""
    out = []
    for key, head, values in CHOICES:
        options = sorted({v for line in found for v in values(line)})
        if len(options) > 1:
            numbers = {option: i for i, option in enumerate(options)}
            out.append(Filter(key, head, options, [[numbers[v] for v in values(line)] for line in found]))
    return out
