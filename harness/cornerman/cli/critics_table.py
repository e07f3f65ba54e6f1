"""A report on a static set as tables and lines."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman.cli.output import table
from cornerman.cli.screen import Screen
from cornerman.staticset.ranking import Threshold
from cornerman.staticset.rates import Estimate
from cornerman.staticset.report import Report, Row

SHOWN = 6
"""Rows of a critic's curve that a table shows."""


def show(report: Report) -> None:
    """Print it: what the set is, verdicts, kinds of candidates, scores, and what it cost."""
    screen, header = Screen(), report.header
    screen.say(
        f"{report.items} candidates on {report.tasks} tasks of {header.suite}, from '{header.method}' of {header.run} "
        f"(set {report.digest[:12]})",
        "bold",
    )
    screen.say(", ".join(f"{count} {name}" for name, count in report.labels.items()))
    screen.say()
    screen.say("Verdicts on right and wrong candidates, in %, with 95 % intervals over tasks", "bold")
    heads = ["critic", "judged", "unparsed", "failed", "accuracy", "precision", "recall", "F1", "MCC"]
    table(heads, [verdicts(row) for row in report.critics])
    screen.say()
    screen.say(f"Harm: shares in %, and of 1,000 of the {report.changing} candidates that change the state", "bold")
    heads = ["critic", "false alarms on gold", "misses on corrupted", "own right", "wrongly blocked", "wrongly allowed"]
    table(heads, [harms(row) for row in report.critics])
    screen.say()
    screen.say("Interventions, in %: right candidates sent back (over), wrong ones allowed (under)", "bold")
    heads = ["critic", "labels", "of", "over", "under", "MCC"]
    table(heads, [cells for row in report.critics for cells in labels(row)])
    if report.full_only:
        screen.say(f"{report.full_only} candidates have labels of full information only: no states that fit are known")
    scored = [row for row in report.critics if row.thresholds]
    if scored:
        screen.say()
        screen.say("Scores: how they rank and how far they are from the truth", "bold")
        table(["critic", "scores", "AUC", "Brier"], [scores(row) for row in scored])
        screen.say()
        screen.say("If what scores below a threshold were sent back: of 1,000, and seconds a candidate", "bold")
        heads = ["critic", "below", "sent back", "wrongly blocked", "wrongly allowed", "p50 s"]
        table(heads, [threshold(row, t) for row in scored for t in spread(row.thresholds)])
    screen.say()
    for row in report.critics:
        screen.say(note(row))


def verdicts(row: Row) -> list[str]:
    """A critic's verdicts."""
    counts = [str(row.judged), str(row.unparsed), str(row.failed)]
    shares = [percent(e) for e in (row.accuracy, row.precision, row.recall, row.f1)]
    return [name(row), *counts, *shares, number(row.mcc, "+.2f")]


def harms(row: Row) -> list[str]:
    """A critic's harms."""
    shares = [percent(e) for e in (row.false_alarms, row.misses, row.own)]
    return [name(row), *shares, number(row.wrongly_blocked, ".0f"), number(row.wrongly_allowed, ".0f")]


def labels(row: Row) -> list[list[str]]:
    """A critic's interventions by both kinds of labels."""
    kinds = (("what gold sees", row.full), ("what was seen", row.seen))
    return [
        [name(row), kind, str(found.mcc.of), percent(found.over), percent(found.under), number(found.mcc, "+.2f")]
        for kind, found in kinds
        if found.mcc.of
    ]


def scores(row: Row) -> list[str]:
    """A critic's scores."""
    return [name(row), str(row.auc.of), number(row.auc, ".2f"), number(row.brier, ".2f")]


def threshold(row: Row, found: Threshold) -> list[str]:
    """A row of a critic's curve."""
    rates = ["—" if r is None else f"{r:.0f}" for r in (found.wrongly_blocked, found.wrongly_allowed)]
    below = "all" if found is row.thresholds[-1] else f"{found.threshold:.3g}"
    return [row.critic, below, f"{found.sent_back:.0f}", *rates, f"{found.seconds:.3f}"]


def spread(found: Sequence[Threshold]) -> list[Threshold]:
    """Some rows of a curve, from its first to its last."""
    if len(found) <= SHOWN:
        return list(found)
    return [found[round(i * (len(found) - 1) / (SHOWN - 1))] for i in range(SHOWN)]


def note(row: Row) -> str:
    """What else there is to say of a critic."""
    parts = [f"{row.critic}: p50 {row.latency.p50:.3f} s, p95 {row.latency.p95:.3f} s a candidate"]
    used = row.usage
    if used.calls:
        tokens = f"{used.prompt:,} fresh, {used.cached:,} cached and {used.output:,} output tokens"
        parts.append(f"{used.calls:,} calls with {tokens}")
    if row.neutral:
        parts.append(f"sent back {row.neutral_sent_back} of {row.neutral} neutral candidates")
    if row.silent:
        parts.append(f"allowed {row.silent} without a verdict")
    if row.suggestions.of:
        parts.append(f"named gold's action in {percent(row.suggestions)} % of {row.suggestions.of} corrections")
    return "; ".join([*parts, *(f"failed: {error}" for error in row.errors)])


def name(row: Row) -> str:
    """A critic's label, marked where it sees what no agent has."""
    return f"{row.critic} †" if row.privileged else row.critic


def percent(found: Estimate) -> str:
    """A share and its interval in percent."""
    return number(found.times(100), ".0f")


def number(found: Estimate, form: str) -> str:
    """A number and its interval."""
    if found.value is None:
        return "—"
    shown = format(found.value, form)
    return shown if found.ci is None else f"{shown} [{found.ci[0]:{form}}, {found.ci[1]:{form}}]"
