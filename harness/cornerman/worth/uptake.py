"""What the words did to the next action, and descriptive groups of forks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cornerman.records import Record
from cornerman.worth.arms import Arm
from cornerman.worth.drawing import Drawn
from cornerman.worth.estimating import Sample, hajek
from cornerman.worth.forks import Forked

Found = Mapping[tuple[Drawn, Arm], Sequence[Forked]]
"""The forks of each moment and arm, by sample."""


class Group(Record, frozen=True, kw_only=True):
    """A descriptive row: pairs of forks with the same luck that have something in common, which no draw decided."""

    by: Literal["turn", "uptake", "how"]
    name: str
    pairs: int
    words: float
    both: float


@dataclass(frozen=True)
class Pair:
    """The forks of one moment that share their luck: with what was said, with as many words, and with silence."""

    drawn: Drawn
    words: Forked
    placebo: Forked
    silence: Forked

    @property
    def uptake(self) -> str:
        """What the words did to the next action, beside what silence would have let happen."""
        if self.words.action == self.silence.action:
            return "same"
        return "followed" if self.words.action == self.words.suggestion else "changed"


def pairs_of(found: Found, drawn: Sequence[Drawn]) -> list[Pair]:
    """All pairs of some moments."""
    return [
        Pair(d, *forks)
        for d in drawn
        for forks in zip(found[d, "words"], found[d, "placebo"], found[d, "silence"], strict=True)
    ]


def share(pairs: Sequence[Pair], holds: Callable[[Pair], bool]) -> float:
    """The weighted share of pairs of which something holds."""
    samples = [Sample(p.drawn.place.task, p.drawn.probability) for p in pairs]
    return hajek(samples, [float(holds(p)) for p in pairs])


def groups(pairs: Sequence[Pair]) -> list[Group]:
    """By the third of the turns that a moment stands in, by uptake, and by how the critic spoke."""
    turns = sorted(p.drawn.place.turn for p in pairs)
    cuts = [turns[len(turns) // 3], turns[2 * len(turns) // 3]]
    spans = [(turns[0], cuts[0] - 1), (cuts[0], cuts[1] - 1), (cuts[1], turns[-1])]

    def third(pair: Pair) -> str:
        turn = pair.drawn.place.turn
        low, high = next(span for span in spans if span[0] <= turn <= span[1])
        return f"after {low} to {high}" if high > low else f"after {low}"

    sorts: dict[Literal["turn", "uptake", "how"], Callable[[Pair], str]] = {
        "turn": third,
        "uptake": lambda p: p.uptake,
        "how": lambda p: p.drawn.place.how,
    }
    out = []
    for by, name_of in sorts.items():
        of: dict[str, list[Pair]] = {}
        for pair in sorted(pairs, key=lambda p: (p.drawn.place.turn, name_of(p))):
            of.setdefault(name_of(pair), []).append(pair)
        for name, here in of.items():
            success = share(here, lambda p: p.words.success)
            out.append(
                Group(
                    by=by,
                    name=name,
                    pairs=len(here),
                    words=success - share(here, lambda p: p.placebo.success),
                    both=success - share(here, lambda p: p.silence.success),
                )
            )
    return out
