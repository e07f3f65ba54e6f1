"""Target hit: was the weakness that the words name real, were they followed, and did that improve what they meant.

The split is TAIScore's (arXiv 2608.30397): critique quality, uptake and targeted gain, which it lets a judge model
grade from 1 to 10. Here each part is yes or no: by rules from gold where the environment has it, else by a judge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from cornerman.records import Record
from cornerman.stats import Interval
from cornerman.worth.estimating import Sample, hajek
from cornerman.worth.labels import rate_interval
from cornerman.worth.trials import Trials, Tried
from cornerman.worth.uptake import Pair

OBJECTIONS = ("revise", "replace", "block", "stop")
"""How a critic spoke when it objected to the actor's own choice."""


class Split(NamedTuple):
    """One intervention. None: not known; `followed` where the words name no action and object to none."""

    real: bool
    followed: bool | None
    improved: bool
    real_seen: bool | None = None

    @property
    def hit(self) -> bool | None:
        """All three together."""
        return None if self.followed is None else self.real and self.followed and self.improved


class Share(Record, frozen=True, kw_only=True):
    """A share of `of` interventions, with its 95 % interval over tasks; None of nothing."""

    value: float | None = None
    ci: Interval | None = None
    of: int = 0


class Hits(Record, frozen=True, kw_only=True):
    """Shares of the interventions at one kind of moment, by gold or by a judge.

    `real`: the weakness is there; `real_seen` the same by what was seen. `followed`: the words were. `improved`: what
    they meant is better than it would have been. `hit`: all three. `unparsed` answers of a judge are in no share.
    `agreement`: of the judge's three answers, the share that gold's rules give too.
    """

    by: Literal["gold", "judge"]
    interventions: int
    unparsed: int = 0
    real: Share
    real_seen: Share = Share()
    followed: Share
    improved: Share
    hit: Share
    agreement: Share = Share()


def by_gold(pair: Pair, trials: Trials | None) -> Split | None:
    """What gold's rules say of one intervention; None where gold has no answer.

    With a the action that the actor takes in silence and a' the one that it takes after the words, with the same luck:
    real: gold's way is not shorter after a. followed: a' is the action that the words name and a is not; where they
    name none and object to the choice, a' is not a. improved: gold's way is shorter after a' than after a.
    """
    own = done = None
    if trials is not None and pair.silence.action is not None and pair.words.action is not None:
        own, done = trials.actions.get(pair.silence.action), trials.actions.get(pair.words.action)
    if own is None or done is None or own.full is None:
        return None
    followed: bool | None = None
    if pair.words.suggestion is not None:
        followed = pair.uptake == "followed"
    elif pair.drawn.place.how in OBJECTIONS:
        followed = pair.uptake != "same"
    seen = None if own.seen is None else own.seen != "right"
    return Split(own.full != "right", followed, shorter(done, own), seen)


def shorter(one: Tried, other: Tried) -> bool:
    """Whether gold's way is shorter after one action than after another; no way is longer than any."""
    return one.left is not None and (other.left is None or one.left < other.left)


def hits(
    by: Literal["gold", "judge"],
    found: Sequence[tuple[Pair, Split]],
    seed: int,
    unparsed: int = 0,
    rules: Callable[[Pair], Split | None] = lambda pair: None,
) -> Hits:
    """The shares, each moment weighted as it was drawn. rules: gold's answers, for a judge's agreement with them."""

    def of(value: Callable[[Split], bool | None]) -> Share:
        return share([(pair, float(known)) for pair, split in found if (known := value(split)) is not None], seed)

    known = [(pair, split, gold) for pair, split in found if (gold := rules(pair)) is not None]
    agreeing = [(pair, agreement(split, gold)) for pair, split, gold in known]
    return Hits(
        by=by,
        interventions=len({pair.drawn for pair, _ in found}) + unparsed,
        unparsed=unparsed,
        real=of(lambda s: s.real),
        real_seen=of(lambda s: s.real_seen),
        followed=of(lambda s: s.followed),
        improved=of(lambda s: s.improved),
        hit=of(lambda s: s.hit),
        agreement=share(agreeing, seed),
    )


def agreement(one: Split, other: Split) -> float:
    """The share of the answers that both know and that are the same."""
    pairs = [(one.real, other.real), (one.followed, other.followed), (one.improved, other.improved)]
    both = [a == b for a, b in pairs if a is not None and b is not None]
    return sum(both) / len(both)


def share(values: Sequence[tuple[Pair, float]], seed: int) -> Share:
    """The weighted mean of some values, with its interval over tasks."""
    if not values:
        return Share()
    samples = [Sample(pair.drawn.place.task, pair.drawn.probability) for pair, _ in values]
    numbers = [value for _, value in values]
    return Share(value=hajek(samples, numbers), ci=rate_interval(samples, numbers, seed), of=len(values))
