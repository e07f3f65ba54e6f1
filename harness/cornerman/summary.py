"""The summary of a run, computed from its episodes: what tables, boards and `--json` read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from cornerman.errors import POLICY
from cornerman.records import Episode, Usage
from cornerman.store import MANIFEST, latest, read_json


class Delta(msgspec.Struct, frozen=True, kw_only=True):
    """A method against the baseline; see `cornerman.stats.Comparison`."""

    baseline: str
    difference: float
    ci: tuple[float, float]
    p: float
    p_holm: float
    test: str
    tasks: int
    helped: int
    harmed: int
    aa_flip_rate: float | None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One method's row."""

    method: str
    actor: str
    critics: list[str]
    memory: str | None
    protocol: str
    information: list[str]
    privileged: bool
    digest: str
    n: int
    tasks: int
    successes: int
    success_rate: float
    ci: tuple[float, float]
    score: float
    errors: dict[str, int]
    critic_errors: int
    delta: Delta | None
    interventions_per_episode: float
    turns_per_episode: float
    tokens: dict[str, Usage]
    calls: dict[str, int]
    latency: dict[str, dict[str, float]]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A run's summary. `requested` counts episodes asked for, `recorded` those on disk."""

    experiment: str
    suite: str
    panel: str
    rules: str
    requested: int
    recorded: int
    seconds: float
    methods: list[Row]
    cornerman: str


def summarise(folder: Path) -> Summary:
    """Compute a run's summary from its manifest and episodes; nothing else is read."""
    from cornerman import stats

    about = read_json(folder / MANIFEST)
    episodes = list(latest(folder).values())
    by_method: dict[str, list[Episode]] = {m["method"]: [] for m in about["methods"]}
    for episode in episodes:
        if episode.method in by_method:
            by_method[episode.method].append(episode)
    tasks, trials, seed = about["suite"]["tasks"], about["trials"], about["seed"]
    outcomes = {name: outcomes_of(rows, tasks, trials) for name, rows in by_method.items()}
    baseline = about["baseline"]
    others = [name for name in by_method if name != baseline]
    comparisons = {
        name: stats.compare(
            outcomes[baseline],
            outcomes[name],
            baseline_transcripts=transcripts_of(by_method[baseline], tasks, trials),
            method_transcripts=transcripts_of(by_method[name], tasks, trials),
            seed=seed,
        )
        for name in others
    }
    corrected = corrected_p(about["family"], outcomes, baseline, others, comparisons, seed)
    rows = []
    for described in about["methods"]:
        name = described["method"]
        delta = None
        if name in comparisons:
            c = comparisons[name]
            delta = Delta(
                baseline=baseline,
                difference=c.difference,
                ci=c.ci,
                p=c.p,
                p_holm=corrected[name],
                test=c.test,
                tasks=c.tasks,
                helped=c.helped,
                harmed=c.harmed,
                aa_flip_rate=c.aa_flip_rate,
            )
        rows.append(row(described, by_method[name], outcomes[name], delta, seed))
    return Summary(
        experiment=about["experiment"],
        suite=about["suite"]["name"],
        panel=about["suite"]["panel"],
        rules=about["suite"]["rules"],
        requested=about["requested"],
        recorded=sum(len(rows) for rows in by_method.values()),
        seconds=sum(e.seconds for e in episodes),
        methods=rows,
        cornerman=about["cornerman"],
    )


def outcomes_of(episodes: Sequence[Episode], tasks: Sequence[str], trials: int) -> dict[str, list[bool]]:
    """Successes by task and trial. Every requested episode is in the denominator: a missing one is no success."""
    won = {(e.task.id, e.trial): e.success for e in episodes}
    return {task: [won.get((task, trial), False) for trial in range(trials)] for task in tasks}


def transcripts_of(episodes: Sequence[Episode], tasks: Sequence[str], trials: int) -> dict[str, list[str]]:
    """What was played, by task and trial: trials that repeat each other are told apart from independent ones."""

    def transcript(episode: Episode | None) -> str:
        if episode is None:
            return ""
        return "|".join(";".join(f"{x.action}={x.hash}" for x in a.log) for a in episode.attempts)

    played = {(e.task.id, e.trial): e for e in episodes}
    return {task: [transcript(played.get((task, trial))) for trial in range(trials)] for task in tasks}


def corrected_p(
    family: str,
    outcomes: Mapping[str, Mapping[str, Sequence[bool]]],
    baseline: str,
    others: Sequence[str],
    comparisons: Mapping[str, Any],
    seed: int,
) -> dict[str, float]:
    """P-values corrected over all comparisons with the baseline, by the experiment's declared procedure."""
    from cornerman import stats

    if not others:
        return {}
    if family == "max-t":
        matrix = stats.difference_matrix(outcomes[baseline], [outcomes[name] for name in others])
        values = stats.max_t(matrix, seed=seed)
    else:
        values = stats.holm([comparisons[name].p for name in others])
    return {name: float(value) for name, value in zip(others, values, strict=True)}


def interventions(episode: Episode) -> int:
    """Critiques that entered the actor's context or changed the executed action."""
    count = 0
    for attempt in episode.attempts:
        for turn in attempt.turns:
            ids = {c.id for c in turn.critiques if c.delivered}
            count += len(ids | ({turn.changed_by} if turn.changed_by is not None else set()))
        count += sum(c.delivered for c in attempt.critiques)
    return count


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    import numpy as np

    if not values:
        return {}
    p50, p95 = np.percentile(np.asarray(values), [50, 95])
    return {"p50": float(p50), "p95": float(p95)}


def row(
    described: Mapping[str, Any],
    episodes: Sequence[Episode],
    outcomes: Mapping[str, Sequence[bool]],
    delta: Delta | None,
    seed: int,
) -> Row:
    """One method's row."""
    from cornerman import stats

    n = sum(len(trials) for trials in outcomes.values())
    usage: dict[str, Usage] = {}
    seconds: dict[str, list[float]] = {}
    for call in (c for e in episodes for c in e.calls):
        usage[call.role] = usage.get(call.role, Usage()) + call.usage
        seconds.setdefault(call.role, []).append(call.usage.seconds)
    critiques = [
        c for e in episodes for a in e.attempts for c in (*a.critiques, *(c for t in a.turns for c in t.critiques))
    ]
    return Row(
        method=described["method"],
        actor=described["actor"],
        critics=described["critics"],
        memory=described["memory"],
        protocol=described["protocol"],
        information=described["information"],
        privileged=described["privileged"],
        digest=described["digest"],
        n=n,
        tasks=len(outcomes),
        successes=sum(sum(trials) for trials in outcomes.values()),
        success_rate=sum(sum(trials) for trials in outcomes.values()) / max(1, n),
        ci=stats.estimate_rate(outcomes, seed=seed).ci,
        score=sum(e.score for e in episodes) / max(1, n),
        errors=dict(Counter(str(e.end) for e in episodes if POLICY[e.end].error)),
        critic_errors=sum(c.error is not None for c in critiques),
        delta=delta,
        interventions_per_episode=sum(map(interventions, episodes)) / max(1, len(episodes)),
        turns_per_episode=sum(len(a.turns) for e in episodes for a in e.attempts) / max(1, len(episodes)),
        tokens=usage,
        calls={role: u.calls for role, u in usage.items()},
        latency={role: quantiles(values) for role, values in seconds.items()},
    )
