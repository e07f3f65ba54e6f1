"""A verification's report in lines."""

from __future__ import annotations

from cornerman_leaderboards.rows.verification import Report
from cornerman_leaderboards.tables.cells import clean, counted


def verdict(report: Report) -> list[str]:
    """What was checked, what differs, and what is not proven."""
    number = len(report.differ)
    result = f"{counted(number, 'thing')} differ{'s' * (number == 1)}" if number else "everything agrees"
    out = [
        f"{counted(report.attempts, 'attempt')} and {counted(report.actions, 'action')} played again, "
        f"{counted(report.reruns, 'episode')} run again with the recorded answers of models: {result}"
    ]
    found = report.likelihood
    if found is not None:
        out.append(
            f"{counted(found.calls, 'call')} with {counted(found.tokens, 'token')} rescored on {clean(found.model)} "
            f"({found.checkpoint}): log-probabilities differ by {found.mean_gap:.3f} nats in the mean, by "
            f"{found.largest_mean_gap:.3f} in the mean of a completion and {found.largest_gap:.3f} of a token at most; "
            f"another token was likelier than a greedy one by {found.largest_lead:.3f} at most"
        )
    out += [clean(f"{finding.where}: {finding.problem}") for finding in report.differ]
    return [*out, clean(f"Not proven: {'; '.join(report.unproven)}.")]
