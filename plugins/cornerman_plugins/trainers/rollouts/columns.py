"""Samples as the columns that rewards and advantages read (see `cornerman_plugins.trainers.batch`)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from cornerman.records import Attempt, Critique, Verdict
from cornerman.workers.session import observation_hash
from cornerman_plugins.trainers.batch import AFTER, BEFORE, REQUEST, Batch
from cornerman_plugins.trainers.rollouts.samples import Sample


class Numbers:
    """Whole numbers for keys, by the order in which they come."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    def of(self, key: Hashable) -> int:
        """The key's number."""
        return self._known.setdefault(key, len(self._known))


def columns(samples: Sequence[Sample]) -> Batch:
    """The columns of samples, their turns and their tokens: one token for each decision (see `Sampled.decisions`)."""
    groups, trials, states = Numbers(), Numbers(), Numbers()
    place = {id(s.attempt): i for i, s in enumerate(samples) if s.critique is None}
    turns = [(i, g) for i, s in enumerate(samples) for g in s.generations]
    token_turn = [t for t, (_, g) in enumerate(turns) for _ in g.tokens.decisions]
    return Batch(
        role=np.array([s.role for s in samples], dtype=np.str_),
        group=np.array([groups.of(_group(s)) for s in samples], dtype=np.int64),
        score=np.array([s.attempt.score or 0.0 for s in samples], dtype=np.float64),
        success=np.array([bool(s.attempt.success) for s in samples], dtype=np.bool_),
        before=np.array([math.nan if s.about is None else s.about.score or 0.0 for s in samples], dtype=np.float64),
        base=np.array([-1 if s.critique else place.get(id(s.about), -1) for s in samples], dtype=np.int64),
        calls=np.array([_requests(s.attempt) for s in samples], dtype=np.int64),
        verdict=np.array([_verdict(s.critique) for s in samples], dtype=np.float64),
        truth=np.array([1.0 if (s.about or s.attempt).success else -1.0 for s in samples], dtype=np.float64),
        judged=np.array([_judged(s.critique) for s in samples], dtype=np.float64),
        valid=np.array([_valid(s) for s in samples], dtype=np.float64),
        trial=np.array([trials.of((s.episode.task.id, s.episode.trial)) for s in samples], dtype=np.int64),
        order=np.array([s.attempt.index for s in samples], dtype=np.int64),
        pivot=np.array([_pivot(s.attempt) for s in samples], dtype=np.int64),
        sample=np.array([i for i, _ in turns], dtype=np.int64),
        turn=np.array([g.turn for _, g in turns], dtype=np.int64),
        state=np.array([states.of(_state(samples[i], g.turn)) for i, g in turns], dtype=np.int64),
        turn_reward=np.array([_turn_reward(samples[i], g.turn) for i, g in turns], dtype=np.float64),
        turn_verdict=np.array([_turn_verdict(samples[i], g.turn) for i, g in turns], dtype=np.float64),
        segment=np.array([_segment(samples[i], g.turn) for i, g in turns], dtype=np.int64),
        token_turn=np.array(token_turn, dtype=np.int64),
    )


def _group(sample: Sample) -> Hashable:
    """What a sample is compared with.

    Attempts without another before them: all of the task. Retries: those of the same round on the same attempt, as
    ECHO's refinements. Critiques: those on the same attempt.
    """
    task, trial = sample.episode.task.id, sample.episode.trial
    if sample.critique is not None:
        return ("critique", task, trial, sample.about.index if sample.about else 0)
    if sample.about is None:
        return ("first", task)
    siblings = sum(a.parent == sample.attempt.parent for a in sample.episode.attempts)
    if siblings > 1:
        return ("retry", task, trial, sample.attempt.parent)
    return ("retry", task, sample.attempt.index)


def _requests(attempt: Attempt) -> int:
    return sum(turn.request is not None for turn in attempt.turns)


def _verdict(critique: Critique | None) -> float:
    if critique is None or critique.verdict in (None, Verdict.UNPARSED):
        return math.nan
    return 1.0 if critique.verdict is Verdict.PASS else -1.0


def _judged(critique: Critique | None) -> float:
    return math.nan if critique is None or critique.score is None else critique.score


def _valid(sample: Sample) -> float:
    if sample.critique is not None:
        return float(sample.critique.verdict is not Verdict.UNPARSED)
    turns = [turn for turn in sample.attempt.turns if turn.kind == "act"]
    return sum(turn.parsed for turn in turns) / len(turns) if turns else 1.0


def _pivot(attempt: Attempt) -> int:
    return attempt.start.turn if attempt.start.kind == "turn" else -1


def _state(sample: Sample, turn: int) -> Hashable:
    """The observation before a turn, within the task; a critique's is the attempt that it is on."""
    task = sample.episode.task.id
    if sample.critique is not None:
        return (task, sample.episode.trial, "critique", sample.about.index if sample.about else 0, turn)
    before = [t for t in sample.attempt.turns if t.index < turn]
    return (task, observation_hash(before[-1].shown if before else sample.attempt.opening))


def _turn_reward(sample: Sample, turn: int) -> float:
    if sample.critique is not None:
        return 0.0
    return next((t.reward or 0.0 for t in sample.attempt.turns if t.index == turn), 0.0)


def _turn_verdict(sample: Sample, turn: int) -> float:
    if sample.critique is not None:
        return 0.0
    said = [_verdict(c) for t in sample.attempt.turns if t.index == turn for c in t.critiques]
    known = [v for v in said if not math.isnan(v)]
    return sum(known) / len(known) if known else 0.0


def _segment(sample: Sample, turn: int) -> int:
    asked = [t.index for t in sample.attempt.turns if t.request is not None]
    if sample.critique is not None or not asked or turn < asked[0]:
        return BEFORE
    return REQUEST if turn == asked[0] else AFTER
