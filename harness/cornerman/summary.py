"""The summary of a run, computed from its episodes: what tables, boards and `--json` read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cornerman.declaration import Mark
from cornerman.errors import POLICY
from cornerman.recorded import Arm, Recorded, SuiteFacts, read_run
from cornerman.records import Usage

if TYPE_CHECKING:
    from cornerman.stats import Comparison


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


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One method's row.

    n: requested episodes, of which `recorded` are on disk; the others are failures. reference: its actor is another
    than the baseline's, so that no paired difference is taken. aa_flip_rate: how often two of its own trials of a task
    disagree. Everything "per episode" is over the recorded ones. `tokens` and `calls` are totals by role, `latency` in
    seconds a call: p50 and p95, and the same of the part spent waiting in a queue. `dollars` are totals by role, empty
    where the experiment gives no prices. `out_of_budget` counts the episodes that their budget ended. `asking` is None
    where no actor was answered. marks: what tables mark the row by; see `cornerman.declaration.Mark`.
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


def summarise(folder: Path) -> Summary:
    """A run's summary from its manifest and episodes; nothing else is read."""
    return summary_of_run(read_run(folder))


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
    base = next(a for a in arms if a.facts.method == baseline)
    deltas = paired(base, arms, family, seed)
    rows = [row(a, deltas.get(a.facts.method), base, seed) for a in arms]
    return Summary(
        experiment=experiment,
        suite=suite.name,
        panel=suite.panel,
        rules=suite.rules,
        baseline=baseline,
        family=family,
        requested=sum(r.n for r in rows),
        recorded=sum(r.recorded for r in rows),
        seconds=sum(t.seconds for a in arms for t in a.tallies.values()),
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
    found = [
        stats.compare(
            base.outcomes,
            arm.outcomes,
            baseline_transcripts=base.transcripts,
            method_transcripts=arm.transcripts,
            seed=seed,
        )
        for arm in others
    ]
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


def latency(calls: Sequence[Usage]) -> dict[str, float]:
    """Median and 95th percentile of the seconds of a call, and of those of them spent in a queue."""
    import numpy as np

    made = [u for u in calls if not (u.taped or u.hits)]
    if not made:
        return dict.fromkeys(("p50", "p95", "queue_p50", "queue_p95"), 0.0)
    seconds = np.percentile([u.seconds for u in made], [50, 95])
    queue = np.percentile([u.queue_seconds for u in made], [50, 95])
    return {
        "p50": float(seconds[0]),
        "p95": float(seconds[1]),
        "queue_p50": float(queue[0]),
        "queue_p95": float(queue[1]),
    }


def asking(arm: Arm) -> Asking | None:
    """The call–skip effect of an arm's recorded episodes."""
    from cornerman import stats

    plays: dict[str, list[stats.Play]] = {}
    for (task, _), told in arm.tallies.items():
        plays.setdefault(task, []).append(stats.Play(told.score, told.answered > 0))
    found = stats.call_skip(plays)
    return Asking(**found._asdict()) if found.called else None


def row(arm: Arm, difference: Delta | None, base: Arm, seed: int) -> Row:
    """One method's row."""
    from cornerman import stats

    facts, tallies, outcomes = arm.facts, list(arm.tallies.values()), arm.outcomes
    rate = stats.estimate_rate(outcomes, seed=seed)
    calls: dict[str, list[Usage]] = {}
    for role, made in (item for t in tallies for item in t.calls.items()):
        calls.setdefault(role, []).extend(made)
    tokens = {role: sum(made, Usage()) for role, made in calls.items()}
    episodes = max(1, len(tallies))
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
        recorded=len(tallies),
        tasks=len(outcomes),
        successes=sum(map(sum, outcomes.values())),
        success_rate=rate.value,
        ci=rate.ci,
        interval=rate.interval,
        aa_flip_rate=stats.aa_flip_rate(outcomes),
        score=math.fsum(t.score for t in tallies) / arm.requested,  # the same in whatever order they ended
        errors=dict(Counter(str(t.end) for t in tallies if POLICY[t.end].error)),
        critic_errors=sum(t.critic_errors for t in tallies),
        unparsed=sum(t.unparsed for t in tallies),
        out_of_budget=sum(t.out_of_budget for t in tallies),
        asking=asking(arm),
        delta=difference,
        interventions_per_episode=sum(t.interventions for t in tallies) / episodes,
        turns_per_episode=sum(t.turns for t in tallies) / episodes,
        tokens=tokens,
        calls={role: u.calls for role, u in tokens.items()},
        latency={role: latency(made) for role, made in calls.items()},
        dollars={role: math.fsum(t.dollars.get(role, 0.0) for t in tallies) for role in calls if tallies[0].dollars},
    )
