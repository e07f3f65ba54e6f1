"""The report on a critic: one part for each kind of moment, computed from forks alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from cornerman.errors import POLICY
from cornerman.records import Moment, Record, Usage
from cornerman.worth.arms import Arm, arms_of, recorded_arm
from cornerman.worth.drawing import Drawn
from cornerman.worth.estimating import Contrast, Sample, contrast, hajek, mean, needed
from cornerman.worth.forks import Forked
from cornerman.worth.labels import Accuracy
from cornerman.worth.places import Place

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


class Group(Record, frozen=True, kw_only=True):
    """A descriptive row: moments that have something in common, which was not decided by a draw."""

    by: Literal["turn", "uptake", "how"]
    name: str
    moments: int
    words: float
    both: float


class Part(Record, frozen=True, kw_only=True):
    """All moments of one kind: where the critic spoke, or where it stayed silent and is made to speak.

    `population` moments on `of_tasks` tasks were there; `moments` on `tasks` were forked. `rates` are the arms' success
    rates. `changed` is the share at which the words changed the next action against silence, `followed` of those that
    named an action the share at which it was done and would not have been; `placebo_changed` the same of the placebo.
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
    """What the forks of a report cost, dollars by the experiment's prices; `errors` of them count as failures."""

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
    """What `cornerman worth` says. `repeats`: nothing is random, so that one sample is all there is to know."""

    run: str
    method: str
    critic: str
    seed: int
    repeats: bool
    parts: list[Part]
    accuracy: dict[Moment, Accuracy]
    check: Check
    cost: Cost


Found = Mapping[tuple[Drawn, Arm], Sequence[Forked]]


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
    taken = [uptake(found, d) for d in drawn]
    named = [i for i, d in enumerate(drawn) if found[d, "words"][0].suggestion is not None]
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
        changed=hajek(samples, [float(t != "same") for t in taken]),
        placebo_changed=hajek(
            samples, [float(acted(found, d, "placebo") != acted(found, d, "silence")) for d in drawn]
        ),
        followed=hajek([samples[i] for i in named], [float(taken[i] == "followed") for i in named]) if named else None,
        groups=groups(drawn, samples, taken),
    )


def acted(found: Found, drawn: Drawn, arm: Arm) -> str | None:
    """The first action after the moment, with the record's own luck."""
    return found[drawn, arm][0].action


def uptake(found: Found, drawn: Drawn) -> str:
    """What the words did to the next action, beside what silence would have let happen with the same luck."""
    action = acted(found, drawn, "words")
    if action == acted(found, drawn, "silence"):
        return "same"
    return "followed" if action == found[drawn, "words"][0].suggestion else "changed"


def groups(drawn: Sequence[Drawn], samples: Sequence[Sample], taken: Sequence[str]) -> list[Group]:
    """Descriptive rows: by the third of the turns that a moment stands in, by uptake, and by how the critic spoke."""
    turns = sorted(d.place.turn for d in drawn)
    cuts = [turns[len(turns) // 3], turns[2 * len(turns) // 3]]
    last = turns[-1]

    def third(i: int) -> str:
        turn = drawn[i].place.turn
        spans = [(turns[0], cuts[0] - 1), (cuts[0], cuts[1] - 1), (cuts[1], last)]
        low, high = next(span for span in spans if span[0] <= turn <= span[1])
        return f"after {low} to {high}" if high > low else f"after {low}"

    sorts: dict[Literal["turn", "uptake", "how"], Callable[[int], str]] = {
        "turn": third,
        "uptake": lambda i: taken[i],
        "how": lambda i: drawn[i].place.how,
    }
    out = []
    for by, name_of in sorts.items():
        names = [name_of(i) for i in range(len(drawn))]
        order = sorted(set(names), key=lambda n: min(drawn[i].place.turn for i in range(len(drawn)) if names[i] == n))
        for name in order:
            here = [s for s, n in zip(samples, names, strict=True) if n == name]
            out.append(
                Group(
                    by=by,
                    name=name,
                    moments=len(here),
                    words=hajek(here, [mean(s.arms["words"]) - mean(s.arms["placebo"]) for s in here]),
                    both=hajek(here, [mean(s.arms["words"]) - mean(s.arms["silence"]) for s in here]),
                )
            )
    return out


def check(found: Found) -> Check:
    """How many of the forks that should be the recorded continuation are."""
    kept = [fs[0] for (d, arm), fs in found.items() if arm == recorded_arm(d.place)]
    return Check(forks=len(kept), repeat=sum(bool(f.repeats) for f in kept))


def cost(forks: Sequence[Forked]) -> Cost:
    """What some forks cost together."""
    usage: dict[str, Usage] = {}
    for fork in forks:
        for role, used in fork.usage.items():
            usage[role] = usage.get(role, Usage()) + used
    return Cost(
        forks=len(forks),
        turns=sum(f.turns for f in forks),
        seconds=sum(f.seconds for f in forks),
        errors=sum(POLICY[f.end].error for f in forks),
        usage=usage,
        dollars=sum(f.dollars for f in forks),
    )
