"""The summary of a run, computed from its episodes: what tables, boards and `--json` read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cornerman.declaration import Mark
from cornerman.errors import POLICY, End
from cornerman.recorded import Arm, Recorded, SuiteFacts, read_run
from cornerman.records import Usage

if TYPE_CHECKING:
    from cornerman.stats import Comparison
    from cornerman.yields import Worth


class Delta(msgspec.Struct, frozen=True, kw_only=True):
    """A method minus the baseline, in success rate; see `cornerman.stats.Comparison`. `p_holm` is corrected by the
    experiment's family, Holm's or max-T; that of the baseline itself, recorded again, is no part of it and is its p.
    """

    baseline: str
    difference: float
    ci: tuple[float, float]
    p: float
    p_holm: float
    test: str
    tasks: int
    pairs: int
    helped: int
    harmed: int
    aa_flip_rate: float | None


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """What asking a critic went with, in score; see `cornerman.stats.CallSkip`."""

    called: int
    skipped: int
    reward_called: float | None
    reward_skipped: float | None
    pooled: float | None
    tasks: int
    within: float | None


class Passes(msgspec.Struct, frozen=True, kw_only=True):
    """pass@k and pass^k: that any of `k` trials of a task succeeds, and that all of them do, with 95 % intervals."""

    k: int
    any: float
    any_ci: tuple[float, float]
    all: float
    all_ci: tuple[float, float]


class Yield(msgspec.Struct, frozen=True, kw_only=True):
    """Successes that a unit of cost buys, failures' costs included, with their 95 % interval."""

    value: float
    ci: tuple[float, float]


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """Success rate within a budget an episode: `rates[i]` from `budgets[i]` on, and 0 below the first.

    At most 32 steps of the whole curve are kept, the last one always. area: the mean success rate over budgets from 0
    to `limit`, the dearest episode of any method of the run, with its 95 % interval.
    """

    limit: float
    area: float
    area_ci: tuple[float, float]
    budgets: list[float]
    rates: list[float]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One method's row.

    n: requested episodes, of which `recorded` are on disk; the others are failures. reference: its actor is another
    than the baseline's, so that no paired difference is taken. aa_flip_rate: how often two of its own trials of a task
    disagree. Everything "per episode" is over the recorded ones. `tokens` and `calls` are totals by role, `latency` in
    seconds a call: p50 and p95, and the same of the part spent waiting in a queue. `dollars` are totals by role, empty
    where the experiment gives no prices. `out_of_budget` counts the episodes that their budget ended. `asking` is None
    where no actor was answered. `passes` is empty with one
    trial. `successes_per` has those of `million_tokens`, `dollar` and `hour` (an episode after the other) that were
    spent, `curves` those of `turns`, `tokens` and `dollars`; tokens and dollars are those of all roles. `marks`: what
    tables mark the row by; see `cornerman.declaration.Mark`.
    """

    method: str
    run: str
    actor: str
    actor_digest: str
    critics: list[str]
    memory: str | None
    protocol: str
    models: dict[str, str]
    information: list[str]
    privileged: bool
    marks: list[Mark] = []
    reference: bool
    digest: str
    n: int
    recorded: int
    tasks: int
    successes: int
    success_rate: float
    ci: tuple[float, float]
    interval: str
    aa_flip_rate: float | None
    passes: list[Passes] = []
    successes_per: dict[str, Yield] = {}
    curves: dict[str, Curve] = {}
    score: float
    errors: dict[str, int]
    critic_errors: int
    unparsed: int
    out_of_budget: int = 0
    asking: Asking | None = None
    delta: Delta | None
    interventions_per_episode: float
    turns_per_episode: float
    tokens: dict[str, Usage]
    calls: dict[str, int]
    latency: dict[str, dict[str, float]]
    dollars: dict[str, float] = {}


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A run's summary. `requested` counts episodes asked for, `recorded` those on disk; `seconds` is their sum.

    remarks: what a reader of several runs joined must know, in sentences.
    """

    experiment: str
    suite: str
    panel: str
    rules: str
    baseline: str
    family: str
    requested: int
    recorded: int
    seconds: float
    methods: list[Row]
    remarks: list[str] = []
    cornerman: str


NEVER = dict.fromkeys(("p50", "p95", "queue_p50", "queue_p95"), 0.0)
"""The latency of a role whose calls were all read from a tape."""


def summarise(folder: Path, compact: bool = True) -> Summary:
    """A run's summary from its manifest and episodes; see `cornerman.recorded.read_run`."""
    return summary_of_run(read_run(folder, compact))


def summary_of_run(run: Recorded) -> Summary:
    """The summary of a run that was read."""
    about = run.manifest
    return summary_of(
        run.arms, about.baseline, about.suite, about.family, about.seed, about.experiment, about.cornerman
    )


def summary_of(
    arms: Sequence[Arm],
    baseline: str,
    suite: SuiteFacts,
    family: str,
    seed: int,
    experiment: str,
    version: str,
    remarks: Sequence[str] = (),
) -> Summary:
    """The summary of methods, of one run or of several, that played the same panel by the same rules.

    Their names differ, and one of them is the baseline. `seed` is that of the bootstraps.
    """
    from cornerman.yields import worths

    base = next(a for a in arms if a.facts.method == baseline)
    deltas = paired(base, arms, family, seed)
    beside = worths([a.figures for a in arms], seed)
    rows = [row(a, deltas.get(a.facts.method), base, w) for a, w in zip(arms, beside, strict=True)]
    return Summary(
        experiment=experiment,
        suite=suite.name,
        panel=suite.panel,
        rules=suite.rules,
        baseline=baseline,
        family=family,
        requested=sum(r.n for r in rows),
        recorded=sum(r.recorded for r in rows),
        seconds=math.fsum(math.fsum(a.figures.seconds.ravel().tolist()) for a in arms),
        methods=rows,
        remarks=list(remarks),
        cornerman=version,
    )


def same_actor(one: Arm, other: Arm) -> bool:
    """Whether a paired difference between two methods is one of their critics, memory and protocol alone."""
    return one.facts.actor_digest == other.facts.actor_digest


def paired(base: Arm, arms: Sequence[Arm], family: str, seed: int) -> dict[str, Delta]:
    """The difference of every method of the baseline's actor to the baseline, p-values corrected over all of them.

    The baseline itself in another run tests no hypothesis: it is outside of the family.
    """
    from cornerman import stats

    others = [a for a in arms if a is not base and same_actor(a, base)]
    if not others:
        return {}
    once = [base.figures.repeats and arm.figures.repeats for arm in others]
    found = stats.compare_all(base.outcomes, [arm.outcomes for arm in others], once=once, seed=seed)
    tested = [i for i, arm in enumerate(others) if arm.facts.digest != base.facts.digest]
    corrected = [c.p for c in found]
    if tested and family == "max-t":
        matrix = stats.difference_matrix(base.outcomes, [others[i].outcomes for i in tested])
        adjusted = stats.max_t(matrix, seed=seed)
    else:
        adjusted = stats.holm([found[i].p for i in tested])
    for i, p in zip(tested, adjusted, strict=True):
        corrected[i] = float(p)
    return {
        arm.facts.method: delta(base.facts.method, c, p) for arm, c, p in zip(others, found, corrected, strict=True)
    }


def delta(baseline: str, found: Comparison, corrected: float) -> Delta:
    """A comparison as the summary keeps it."""
    return Delta(
        baseline=baseline,
        difference=found.difference,
        ci=found.ci,
        p=found.p,
        p_holm=corrected,
        test=found.test,
        tasks=found.tasks,
        pairs=found.pairs,
        helped=found.helped,
        harmed=found.harmed,
        aa_flip_rate=found.aa_flip_rate,
    )


def asking(arm: Arm) -> Asking | None:
    """The call–skip effect of an arm's recorded episodes."""
    from cornerman import stats

    asked, scores, recorded = arm.figures.asked, arm.figures.scores, arm.figures.recorded
    if asked is None or scores is None:
        return None
    plays = {
        task: [stats.Play(float(scores[i, j]), bool(asked[i, j])) for j in recorded[i].nonzero()[0]]
        for i, task in enumerate(arm.tasks)
    }
    found = stats.call_skip({task: listed for task, listed in plays.items() if listed})
    return Asking(**found._asdict())


def row(arm: Arm, difference: Delta | None, base: Arm, worth: Worth) -> Row:
    """One method's row."""
    from cornerman import stats

    facts, found = arm.facts, arm.figures
    tokens = arm.usage
    episodes = max(1, arm.recorded)
    return Row(
        method=facts.method,
        run=arm.run,
        actor=facts.actor,
        actor_digest=facts.actor_digest,
        critics=facts.critics,
        memory=facts.memory,
        protocol=facts.protocol,
        models=facts.models,
        information=facts.information,
        privileged=facts.privileged,
        marks=arm.marks,
        reference=not same_actor(arm, base),
        digest=facts.digest,
        n=arm.requested,
        recorded=arm.recorded,
        tasks=len(arm.tasks),
        successes=int(found.success.sum()),
        success_rate=worth.rate.value,
        ci=worth.rate.ci,
        interval=worth.rate.interval,
        aa_flip_rate=stats.aa_flip_rate(arm.outcomes),
        passes=worth.passes,
        successes_per=worth.successes_per,
        curves=worth.curves,
        score=found.score / arm.requested,
        errors={end: number for end, number in found.errors.items() if POLICY[End(end)].error},
        critic_errors=found.critic_errors,
        unparsed=found.unparsed,
        out_of_budget=found.out_of_budget,
        asking=asking(arm),
        delta=difference,
        interventions_per_episode=found.interventions / episodes,
        turns_per_episode=float(found.turns.sum()) / episodes,
        tokens=tokens,
        calls={role: u.calls for role, u in tokens.items()},
        latency={role: found.latency.get(role, NEVER) for role in tokens},
        dollars=arm.dollars,
    )
