"""How well a critic's scores tell right candidates from wrong ones, and what a threshold on them would do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cornerman.records import Record
from cornerman.staticset.rates import Estimate, Floats, rate, resampled, share

PER = 1_000
"""Harms are counted on so many calls."""


class Scored(NamedTuple):
    """One score on a candidate that gold calls right or wrong; `changes` says whether it changes the state."""

    task: str
    wrong: bool
    score: float
    changes: bool | None = None


class Threshold(Record, frozen=True, kw_only=True):
    """What would happen if every candidate with a score below `threshold` were sent back, and no other.

    sent_back: of 1,000 candidates. wrongly_blocked, wrongly_allowed: of 1,000 that change the state; None where none is
    known to. seconds: the critic's median, the same in every row of a critic, since all candidates are scored.
    """

    threshold: float
    sent_back: float
    wrongly_blocked: float | None
    wrongly_allowed: float | None
    seconds: float


def auc(scored: Sequence[Scored], seed: int = 0) -> Estimate:
    """The chance that a right candidate scores higher than a wrong one, a tie counting half.

    The area under the ROC curve (Hanley and McNeil 1982, Radiology 143:29-36). Resampled over whole tasks: with G the
    wins of each task's right candidates over each task's wrong ones, and c how often each task was drawn,
    cᵀ G c / (cᵀr · cᵀw) for r right and w wrong candidates a task.
    """
    tasks = list(dict.fromkeys(s.task for s in scored))
    place = np.array([tasks.index(s.task) for s in scored], dtype=np.intp)
    score = np.array([s.score for s in scored])
    wrong = np.array([s.wrong for s in scored], dtype=bool)
    right_of, wrong_of = place[~wrong], place[wrong]
    above = score[~wrong][:, None] - score[wrong][None, :]
    wins = np.zeros((len(tasks), len(tasks)))
    np.add.at(wins, (right_of[:, None], wrong_of[None, :]), (above > 0) + 0.5 * (above == 0))
    rights = np.bincount(right_of, minlength=len(tasks)).astype(np.float64)
    wrongs = np.bincount(wrong_of, minlength=len(tasks)).astype(np.float64)

    def of(weights: Floats) -> Floats:
        pairs = (weights @ rights) * (weights @ wrongs)
        return share(((weights @ wins) * weights).sum(axis=1), pairs)

    return resampled(of, len(tasks), len(scored), seed)


def brier(scored: Sequence[Scored], seed: int = 0) -> Estimate:
    """The mean of (score − 1)² over right candidates and score² over wrong ones: 0 is best, 0.25 is a constant half.

    Brier 1950, Monthly Weather Review 78:1-3. None where a score is no probability.
    """
    if any(not 0 <= s.score <= 1 for s in scored):
        return Estimate()
    return rate([(s.task, (s.score - (not s.wrong)) ** 2) for s in scored], seed)


def curve(scored: Sequence[Scored], seconds: float) -> list[Threshold]:
    """One row for each score that was given, in rising order, and one above them all (everything is sent back)."""
    if not scored:
        return []
    scores = sorted({s.score for s in scored})
    return [at(scored, t, seconds) for t in (*scores, math.nextafter(scores[-1], math.inf))]


def at(scored: Sequence[Scored], threshold: float, seconds: float) -> Threshold:
    """One row of the curve."""
    calls = [s for s in scored if s.changes]
    blocked = sum(not s.wrong and s.score < threshold for s in calls)
    allowed = sum(s.wrong and s.score >= threshold for s in calls)
    return Threshold(
        threshold=threshold,
        sent_back=PER * sum(s.score < threshold for s in scored) / len(scored),
        wrongly_blocked=PER * blocked / len(calls) if calls else None,
        wrongly_allowed=PER * allowed / len(calls) if calls else None,
        seconds=seconds,
    )
