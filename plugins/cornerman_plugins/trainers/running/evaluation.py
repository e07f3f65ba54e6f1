"""What episodes show: first attempts, retries, and what lies between them."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman.errors import POLICY
from cornerman.records import Attempt, Episode

Figures = dict[str, float]


def measured(episodes: Sequence[Episode]) -> Figures:
    """Means over episodes; an error counts as a failure.

    first_success, first_score: of first attempts. retry_success, retry_score: of all attempts after them, and gain:
    how much higher these scored than the attempts that they retry. any_success: episodes with a solved attempt.
    """
    good = [e for e in episodes if not POLICY[e.end].error and e.attempts]
    n = max(1, len(episodes))
    firsts = [e.attempts[0] for e in good]
    figures = {
        "first_success": sum(bool(a.success) for a in firsts) / n,
        "first_score": sum(score(a) for a in firsts) / n,
        "any_success": sum(any(a.success for a in e.attempts) for e in good) / n,
        "turns": sum(len(a.turns) for e in good for a in e.attempts) / n,
        "errors": 1 - len(good) / n,
    }
    retries = [(e.attempts[a.parent], a) for e in good for a in e.attempts if a.parent is not None]
    if retries:
        m = len(retries)
        figures["retry_success"] = sum(bool(a.success) for _, a in retries) / m
        figures["retry_score"] = sum(score(a) for _, a in retries) / m
        figures["gain"] = sum(score(a) - score(before) for before, a in retries) / m
    return figures


def score(attempt: Attempt) -> float:
    """The attempt's score; 0 where it has none."""
    return attempt.score or 0.0


def spent(episodes: Sequence[Episode]) -> tuple[int, int]:
    """Actions that environments executed, and tokens of all calls, cached ones included."""
    turns = (turn for e in episodes for a in e.attempts for turn in a.turns)
    steps = sum(turn.executed is not None and turn.origin == "played" for turn in turns)
    usage = [u for e in episodes for u in e.usage.values()]
    return steps, sum(u.prompt + u.cached + u.output for u in usage)
