"""The report on a critic: one part for each kind of moment, computed from forks alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cornerman.engine.calls import usage_by_role
from cornerman.errors import POLICY
from cornerman.prices import Prices, dollars
from cornerman.records import Call, Moment, Record, Usage
from cornerman.worth.arms import Arm, arms_of, recorded_arm
from cornerman.worth.drawing import Drawn
from cornerman.worth.estimating import Contrast, Sample, contrast, hajek, mean, needed
from cornerman.worth.forks import Forked
from cornerman.worth.hits import Hits
from cornerman.worth.labels import Accuracy
from cornerman.worth.places import Place
from cornerman.worth.uptake import Found, Group, groups, pairs_of, share

What = Literal["words", "pause", "both"]
Estimand = Literal["once", "on"]
CONTRASTS: dict[Estimand, dict[What, tuple[Arm, Arm]]] = {
    "once": {"words": ("words", "placebo"), "pause": ("placebo", "silence"), "both": ("words", "silence")},
    "on": {"words": ("words", "placebo-on"), "pause": ("placebo-on", "silence-on"), "both": ("words", "silence-on")},
}
"""words: what was said. pause: that something was said. both: the intervention. once: here, with the critic on
afterwards; on: from here to the end."""


class Worth(Record, frozen=True, kw_only=True):
    """One contrast of one estimand."""

    estimand: Estimand
    what: What
    found: Contrast
    needed: int


class Part(Record, frozen=True, kw_only=True):
    """All moments of one kind: where the critic spoke, or where it stayed silent and is made to speak.

    `population` moments on `of_tasks` tasks were there; `moments` on `tasks` were forked. `rates` are the arms' success
    rates. `changed` is the share in which the words changed the next action against silence, `placebo_changed` that of
    the placebo, `followed` where an action was named the share in which it was done and would not have been.
    `had_words` counts the moments at which the words arm had anything to say.
    """

    moment: Moment
    spoke: bool
    population: int
    of_tasks: int
    moments: int
    tasks: int
    had_words: int
    samples: int
    rates: dict[Arm, float]
    worth: list[Worth]
    changed: float
    placebo_changed: float
    followed: float | None
    groups: list[Group]


class Cost(Record, frozen=True, kw_only=True):
    """What the forks of a report and its judge cost, dollars by the experiment's prices.

    `errors` of the forks count as failures.
    """

    forks: int
    turns: int
    seconds: float
    errors: int
    usage: dict[str, Usage]
    dollars: float


class Check(Record, frozen=True, kw_only=True):
    """Forks that must be the recorded continuation, and how many are."""

    forks: int
    repeat: int


class Report(Record, frozen=True, kw_only=True):
    """What `cornerman worth` says. `repeats`: nothing is random, so that one sample is all there is to know.

    `accuracy` by what gold sees and `consistent` by what was seen, `full_only` the environments that have the first
    alone; `hits` by gold, by a judge, or by both.
    """

    run: str
    method: str
    critic: str
    seed: int
    repeats: bool
    parts: list[Part]
    accuracy: dict[Moment, Accuracy]
    consistent: dict[Moment, Accuracy]
    full_only: list[str]
    hits: dict[Moment, list[Hits]]
    check: Check
    cost: Cost


def part(drawn: Sequence[Drawn], population: Sequence[Place], found: Found, repeats: bool, seed: int) -> Part:
    """The part of some moments of one kind, all of whose forks have been played. `population` is all of them."""
    place = drawn[0].place
    arms = arms_of(place)
    samples = [
        Sample(d.place.task, d.probability, {arm: [f.success for f in found[d, arm]] for arm in arms}) for d in drawn
    ]
    worth = []
    for estimand, pairs in CONTRASTS.items():
        for what, (first, second) in pairs.items():
            if first in arms and second in arms:
                got = contrast(samples, first, second, repeats, seed)
                worth.append(Worth(estimand=estimand, what=what, found=got, needed=needed(got.ci, len(drawn))))
    forks = pairs_of(found, drawn)
    named = [p for p in forks if p.words.suggestion is not None]
    return Part(
        moment=place.moment,
        spoke=place.spoke,
        population=len(population),
        of_tasks=len({p.task for p in population}),
        moments=len(drawn),
        tasks=len({d.place.task for d in drawn}),
        had_words=sum(found[d, "words"][0].said > 0 for d in drawn),
        samples=len(found[drawn[0], "words"]),
        rates={arm: hajek(samples, [mean(s.arms[arm]) for s in samples]) for arm in arms},
        worth=worth,
        changed=share(forks, lambda p: p.uptake != "same"),
        placebo_changed=share(forks, lambda p: p.placebo.action != p.silence.action),
        followed=share(named, lambda p: p.uptake == "followed") if named else None,
        groups=groups(forks),
    )


def check(found: Found) -> Check:
    """How many of the forks that should be the recorded continuation are."""
    kept = [fs[0] for (d, arm), fs in found.items() if arm == recorded_arm(d.place)]
    return Check(forks=len(kept), repeat=sum(bool(f.repeats) for f in kept))


def cost(forks: Sequence[Forked], judged: Sequence[Call], prices: Prices) -> Cost:
    """What some forks and the calls of a judge cost together."""
    usage = usage_by_role(judged)
    for fork in forks:
        for role, used in fork.usage.items():
            usage[role] = usage.get(role, Usage()) + used
    return Cost(
        forks=len(forks),
        turns=sum(f.turns for f in forks),
        seconds=sum(f.seconds for f in forks),
        errors=sum(POLICY[f.end].error for f in forks),
        usage=usage,
        dollars=sum(f.dollars for f in forks) + dollars(judged, prices),
    )
