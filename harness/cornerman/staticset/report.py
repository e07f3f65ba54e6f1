"""From the answers of critics to the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cornerman.engine.instance import PRIVILEGED, Instance
from cornerman.records import Record, Usage
from cornerman.staticset import rates
from cornerman.staticset.asking import Answer
from cornerman.staticset.items import Header, Item, Kind, StaticSet
from cornerman.staticset.ranking import PER, Scored, Threshold, auc, brier, curve
from cornerman.staticset.rates import Estimate, Judged

VERDICTS = ("allowed", "sent back")
"""Outcomes that are verdicts; all others stand in columns of their own and in no other number."""


class Latency(Record, frozen=True, kw_only=True):
    """Seconds a candidate: the median and the 95th percentile of the items that were asked."""

    p50: float
    p95: float


class Interventions(Record, frozen=True, kw_only=True):
    """Verdicts by one kind of label. over: of right candidates, the share sent back; under: of wrong ones, allowed."""

    mcc: Estimate
    over: Estimate
    under: Estimate


class Row(Record, frozen=True, kw_only=True):
    """One critic on a set.

    unparsed, failed: answers that are no verdict, and in no other number. silent: allowed without a verdict. neutral:
    verdicts on candidates that gold calls neither right nor wrong, and neutral_sent_back how many of these were sent
    back; they are in no other number either. false_alarms: of gold's own actions, the share sent back. misses: of the
    corrupted ones, the share allowed. own: accuracy on what the recorded actor offered. wrongly_blocked: right
    candidates sent back, wrongly_allowed: wrong ones allowed, each of 1,000 candidates that change the state.
    suggestions: of the actions named instead of a wrong candidate that was sent back, the share that is gold's own.
    full, seen: the same verdicts by what gold sees, and by what was seen where the environment knows that.
    """

    critic: str
    privileged: bool
    items: int
    judged: int
    unparsed: int
    failed: int
    silent: int
    neutral: int
    neutral_sent_back: int
    accuracy: Estimate
    precision: Estimate
    recall: Estimate
    f1: Estimate
    mcc: Estimate
    auc: Estimate
    brier: Estimate
    false_alarms: Estimate
    misses: Estimate
    own: Estimate
    wrongly_blocked: Estimate
    wrongly_allowed: Estimate
    suggestions: Estimate
    full: Interventions
    seen: Interventions
    thresholds: list[Threshold]
    latency: Latency
    usage: Usage
    errors: list[str] = []


class Report(Record, frozen=True, kw_only=True):
    """All critics that were asked. `digest`: SHA-256 of the set's file; `labels`: items by kind and label; `full_only`:
    those without a label by what was seen; `changing`: those that change the state.
    """

    digest: str
    header: Header
    items: int
    tasks: int
    labels: dict[str, int]
    full_only: int
    changing: int
    critics: list[Row]


def report(static: StaticSet, critics: Sequence[Instance], answers: Mapping[str, Sequence[Answer]]) -> Report:
    """The report on a set and what its critics answered."""
    labels: dict[str, int] = {}
    for item in static.items:
        name = f"{item.kind} {item.label}"
        labels[name] = labels.get(name, 0) + 1
    return Report(
        digest=static.digest,
        header=static.header,
        items=len(static.items),
        tasks=len({i.task.id for i in static.items}),
        labels=dict(sorted(labels.items())),
        full_only=sum(i.seen is None for i in static.items),
        changing=sum(bool(i.changes_state) for i in static.items),
        critics=[row(c, static.items, answers[c.label], static.header.seed) for c in critics],
    )


def row(critic: Instance, items: Sequence[Item], answers: Sequence[Answer], seed: int) -> Row:
    """One critic's numbers."""
    pairs = list(zip(items, answers, strict=True))
    verdicts = [(i, a) for i, a in pairs if a.outcome in VERDICTS]
    told = [(i, a) for i, a in verdicts if i.label != "neutral"]
    apart = [a for i, a in verdicts if i.label == "neutral"]

    def judged(kind: Kind | None = None, changing: bool = False) -> list[Judged]:
        return [
            Judged(i.task.id, i.label == "wrong", a.outcome == "sent back")
            for i, a in told
            if kind in (None, i.kind) and (i.changes_state or not changing)
        ]

    everything, calls = judged(), judged(changing=True)
    scored = [Scored(i.task.id, i.label == "wrong", a.score, i.changes_state) for i, a in told if a.score is not None]
    p50, p95 = np.quantile([a.seconds for a in answers], (0.5, 0.95))
    named = [(i, a) for i, a in told if i.label == "wrong" and a.outcome == "sent back" and a.suggestion is not None]
    return Row(
        critic=critic.label,
        privileged=bool(PRIVILEGED & (critic.sees | critic.uses)),
        items=len(items),
        judged=len(everything),
        unparsed=sum(a.outcome == "unparsed" for a in answers),
        failed=sum(a.outcome == "failed" for a in answers),
        silent=sum(a.silent for a in answers),
        neutral=len(apart),
        neutral_sent_back=sum(a.outcome == "sent back" for a in apart),
        accuracy=rates.accuracy(everything, seed),
        precision=rates.precision(everything, seed),
        recall=rates.recall(everything, seed),
        f1=rates.f1(everything, seed),
        mcc=rates.mcc(everything, seed),
        auc=auc(scored, seed),
        brier=brier(scored, seed),
        false_alarms=rates.rate([(j.task, float(j.sent_back)) for j in judged("gold")], seed),
        misses=rates.rate([(j.task, float(not j.sent_back)) for j in judged("corrupted")], seed),
        own=rates.accuracy(judged("own"), seed),
        wrongly_blocked=rates.rate([(j.task, float(j.sent_back and not j.wrong)) for j in calls], seed).times(PER),
        wrongly_allowed=rates.rate([(j.task, float(j.wrong and not j.sent_back)) for j in calls], seed).times(PER),
        suggestions=rates.rate([(i.task.id, float(a.suggestion == i.suggestion)) for i, a in named], seed),
        full=interventions(everything, seed),
        seen=interventions(
            [
                Judged(i.task.id, i.seen == "wrong", a.outcome == "sent back")
                for i, a in verdicts
                if i.seen in ("right", "wrong")
            ],
            seed,
        ),
        thresholds=curve(scored, float(p50)),
        latency=Latency(p50=float(p50), p95=float(p95)),
        usage=sum((a.usage for a in answers), Usage()),
        errors=list(dict.fromkeys(a.error for a in answers if a.error is not None))[:3],
    )


def interventions(judged: Sequence[Judged], seed: int) -> Interventions:
    """Verdicts by one kind of label."""
    return Interventions(
        mcc=rates.mcc(judged, seed),
        over=rates.rate([(j.task, float(j.sent_back)) for j in judged if not j.wrong], seed),
        under=rates.rate([(j.task, float(not j.sent_back)) for j in judged if j.wrong], seed),
    )
