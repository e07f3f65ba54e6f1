"""What a pilot says of the full run: power, trials, tokens, money and hours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from cornerman.engine.method import MethodSettings
from cornerman.experiment import Experiment
from cornerman.recorded import Arm, Recorded
from cornerman.summary import Row, Summary, same_actor
from cornerman.trial import power

POWER, ALPHA = 0.8, 0.05
MOST_TRIALS = 32
"""The most trials that are chosen; whoever needs more is told how many."""


class Goal(NamedTuple):
    """What the full run should show: a difference in success rate over `tasks` tasks, among `comparisons` tests.

    trials: those of the experiment.
    """

    difference: float
    tasks: int
    trials: int
    comparisons: int

    @property
    def alpha(self) -> float:
        """The level of one test, 0.05 shared evenly (Bonferroni; Holm's first step, so that both families reach it)."""
        return ALPHA / max(1, self.comparisons)


class Prospect(msgspec.Struct, frozen=True, kw_only=True):
    """One method against the baseline. Differences are in success rate; None where the pilot cannot say.

    detectable: at the experiment's trials. trials: that the goal takes on the full panel; tasks: that it takes at the
    experiment's trials. bound: the numbers rest on an upper bound of the variance. said: the verdict in a sentence.
    """

    method: str
    difference: float
    ci: tuple[float, float]
    sd: float | None = None
    between: float | None = None
    within: float | None = None
    bound: bool = False
    detectable: float | None = None
    trials: int | None = None
    tasks: int | None = None
    said: str


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What the full run takes, as many times the pilot's means an episode as it has episodes.

    tokens: fresh, cached and output, by role. dollars: by role, empty without prices. A placebo costs what its method
    does. hours: the pilot's seconds of episodes, shared among as many at once.
    """

    episodes: int
    tokens: dict[str, int]
    dollars: dict[str, float]
    hours: float
    at_once: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a trial found. alpha: the level of one of `comparisons` tests. trials: those that were registered in
    the file `registered`, which `command` plays. detect: the difference to show, in success rate.
    """

    pilot: str
    pilot_tasks: list[str]
    tasks: int
    detect: float
    power: float
    alpha: float
    comparisons: int
    methods: list[Prospect]
    trials: int
    placebos: list[str]
    cost: Cost
    registered: str
    command: str


def times(trials: int) -> str:
    """A number of trials in words."""
    return f"{trials} trial{'s' * (trials != 1)}"


def points(value: float) -> str:
    """A difference in percentage points."""
    return f"{100 * value:.1f}"


def prospect(row: Row, base: Row, arms: tuple[Arm, Arm], goal: Goal) -> Prospect:
    """What one method's pilot says; `arms` are the baseline's and its own."""
    assert row.delta is not None
    known = Prospect(method=row.method, difference=row.delta.difference, ci=row.delta.ci, said="")
    for r in (base, row):
        if r.recorded == 0 or sum(r.errors.values()) >= r.recorded:
            return replace(known, said=f"nothing is known: every episode of {r.method} ended in an error")
    found = power.pilot_variance(*(a.outcomes for a in arms))
    if found is None:
        return replace(known, said="nothing is known: one task shows no variance between tasks; take a larger --pilot")
    reach = power.detectable(found.total, goal.tasks, goal.alpha, POWER)
    trials = power.trials_needed(found, goal.tasks, goal.difference, goal.alpha, POWER)
    tasks = power.tasks_needed(found.total, goal.difference, goal.alpha, POWER)
    known = replace(
        known,
        sd=math.sqrt(found.total),
        between=found.between,
        within=found.within,
        bound=found.bounded,
        detectable=reach,
        trials=trials,
        tasks=tasks,
    )
    return replace(known, said=verdict(found, known, goal))


def verdict(found: power.Variance, known: Prospect, goal: Goal) -> str:
    """One sentence on how the goal is reached."""
    assert known.detectable is not None
    wanted, trials = f"{points(goal.difference)} points", goal.trials
    if found.bounded:
        return (
            "the differences of all the pilot's tasks are equal, so that their spread is unknown; by an upper bound "
            f"(Wilson, 95 %, no task of them unlike the others) {known.tasks} tasks at {times(trials)} show {wanted}"
        )
    if found.between is None:
        if known.detectable <= goal.difference:
            return f"{wanted} are within reach at {times(trials)}"
        return (
            f"{wanted} take {known.tasks} tasks at one trial; a pilot of one trial cannot say what more trials would do"
        )
    if known.trials is None:
        least = power.tasks_needed(max(found.between, 1e-12), goal.difference, goal.alpha, POWER)
        return (
            f"more trials cannot show {wanted}: the panel of {goal.tasks} tasks is the limit; it takes more than "
            f"{least} tasks, {known.tasks} at {times(trials)}"
        )
    return f"{wanted} take {goal.tasks} tasks × {times(known.trials)}"


def prospects(run: Recorded, summary: Summary, goal: Goal) -> list[Prospect]:
    """Every method of the baseline's actor, against the baseline."""
    rows = {r.method: r for r in summary.methods}
    arms = {a.facts.method: a for a in run.arms}
    base = arms[summary.baseline]
    return [
        prospect(rows[name], rows[summary.baseline], (base, arm), goal)
        for name, arm in arms.items()
        if arm is not base and same_actor(arm, base)
    ]


def choose_trials(found: Sequence[Prospect], trials: int) -> int:
    """The experiment's trials, or more where more reach the goal for a method and are at most `MOST_TRIALS`."""
    return max([trials, *(p.trials for p in found if p.trials is not None and p.trials <= MOST_TRIALS)])


def full_cost(
    run: Recorded, summary: Summary, full: Experiment, arms: Mapping[str, MethodSettings], tasks: int, at_once: int
) -> Cost:
    """What the full run takes; `arms` are its placebos, by the method that each is one of."""
    figures = {a.facts.method: a for a in run.arms}
    tokens: dict[str, float] = {}
    dollars: dict[str, float] = {}
    seconds = 0.0
    for row in summary.methods:
        times = tasks * full.trials * (2 if row.method in arms else 1) / max(1, row.recorded)
        for role, usage in row.tokens.items():
            tokens[role] = tokens.get(role, 0) + times * (usage.prompt + usage.cached + usage.output)
        for role, paid in row.dollars.items():
            dollars[role] = dollars.get(role, 0) + times * paid
        seconds += times * float(figures[row.method].figures.seconds.sum())
    return Cost(
        episodes=tasks * full.trials * len(full.method),
        tokens={role: round(count) for role, count in tokens.items()},
        dollars=dollars,
        hours=seconds / at_once / 3600,
        at_once=at_once,
    )
