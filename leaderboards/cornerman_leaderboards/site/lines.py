"""The lines of a board: a method of a run each, with all that pages say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cornerman.recorded import Arm
from cornerman.records import Moment, Usage
from cornerman.summary import Row
from cornerman_leaderboards.rows.boards import actor
from cornerman_leaderboards.site.gather import Gathered, Played
from cornerman_leaderboards.site.slugs import slugs
from cornerman_leaderboards.tables.notes import MEANINGS
from cornerman_leaderboards.tables.outcome import ALPHA, INCOMPLETE, MARKS, PRIVILEGED, is_baseline
from cornerman_leaderboards.web.plots.forest import Direction


@dataclass(frozen=True)
class Line:
    """A method of a run. `slug`: its files' name; `label`: its name, before it its run where there are several."""

    run: Played
    row: Row
    arm: Arm
    slug: str
    label: str

    @property
    def baseline(self) -> bool:
        """Whether others are compared with it."""
        return is_baseline(self.row)

    @property
    def actor(self) -> str:
        """Its actor with its model."""
        return actor(self.row)

    @property
    def direction(self) -> Direction:
        """Whether it is better or worse than its baseline, as far as the corrected p-value says."""
        delta = self.row.delta
        if delta is None or delta.p_holm >= ALPHA:
            return "even"
        return "better" if delta.difference > 0 else "worse"

    @property
    def moments(self) -> list[Moment]:
        """When its critics spoke."""
        return sorted(self.run.seen[self.row.method].moments)

    @property
    def trained(self) -> str:
        """Whether its makers declare that it was trained on any task."""
        declared = self.run.declaration
        return "not declared" if declared is None else "yes" if declared.trained_on else "no"

    @property
    def signs(self) -> list[tuple[str, str]]:
        """The signs behind its name, each with its meaning."""
        row = self.row
        privileged = [(PRIVILEGED, "privileged: sees what no agent has at test time")] * row.privileged
        short = [(INCOMPLETE, "incomplete: missing episodes count as not solved")] * (row.recorded < row.n)
        return [*privileged, *short, *((MARKS[mark], MEANINGS[mark]) for mark in row.marks)]

    @property
    def marked(self) -> str:
        """Its name with its signs."""
        return f"{self.label} {''.join(sign for sign, _ in self.signs)}".rstrip()

    @property
    def tokens(self) -> float:
        """Tokens of all roles, an episode: prompts whether cached or not, and output."""
        spent = sum(self.row.tokens.values(), Usage())
        return (spent.prompt + spent.cached + spent.output) / max(1, self.row.recorded)

    @property
    def dollars(self) -> float:
        """Dollars of all roles, an episode."""
        return sum(self.row.dollars.values()) / max(1, self.row.recorded)


def lines(gathered: Gathered) -> list[Line]:
    """All methods of a board, best first."""
    found = [
        (run, row, arm)
        for run in gathered.runs
        for row, arm in zip(run.summary.methods, run.recorded.arms, strict=True)
    ]
    found.sort(key=lambda item: (-item[1].success_rate, item[1].method, item[1].run))
    several = len(gathered.runs) > 1
    labels = [f"{row.run}/{row.method}" if several else row.method for _, row, _ in found]
    return [
        Line(run, row, arm, slug, label)
        for (run, row, arm), slug, label in zip(found, slugs(labels), labels, strict=True)
    ]


def groups(found: Sequence[Line]) -> list[tuple[Line, list[Line]]]:
    """Every baseline with the methods that are compared with it; those with none are left out."""
    out = []
    for base in (line for line in found if line.baseline):
        own = [line for line in found if line.run is base.run and line.row.delta is not None]
        if own:
            out.append((base, own))
    return out
