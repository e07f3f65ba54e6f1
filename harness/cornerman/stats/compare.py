"""One method against the baseline on the tasks both played: difference, interval, p-value, flips."""

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np

from cornerman.stats.bootstrap import bootstrap_intervals
from cornerman.stats.flips import aa_flip_rate, count_flips
from cornerman.stats.intervals import Interval, square_and_add
from cornerman.stats.outcomes import (
    FloatArray,
    Outcomes,
    shared_tasks,
    task_means,
)
from cornerman.stats.paired import mcnemar_exact, newcombe_interval, paired_table
from cornerman.stats.rates import constant, yes_or_no
from cornerman.stats.signflip import sign_flip_test


class Comparison(msgspec.Struct, frozen=True):
    """A method minus its baseline.

    ``difference`` is in success rate, within [−1, 1], with its interval ``ci`` and its two-sided p-value ``p`` by
    ``test``. ``helped`` and ``harmed`` count among ``pairs`` of (task, trial); ``aa_flip_rate`` is the share of pairs
    that the baseline's own trials flip among each other, None when it has one trial.
    """

    difference: float
    ci: Interval
    p: float
    test: Literal["mcnemar", "sign flip"]
    tasks: int
    pairs: int
    helped: int
    harmed: int
    aa_flip_rate: float | None


def compare(
    baseline: Outcomes,
    method: Outcomes,
    *,
    once: bool = False,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare a method with the baseline over the tasks that both played.

    Where every task's trials agree in both methods, as with one trial, a task is one yes or no in each: exact McNemar
    test and Newcombe's interval. Otherwise the task means are compared: sign-flip test and task-clustered bootstrap of
    the differences (on yes-or-no tasks the two tests are the same test). Where all differences are equal the bootstrap
    would claim certainty; the interval then comes from the Wilson intervals of the two rates over n tasks, joined by
    the correlation that Newcombe's method 10 gives tasks that all agree where every task's means are the same in both.

    once: both methods repeat themselves (:func:`cornerman.stats.repeats_itself`), so that the first trial of a task
    alone counts in pairs, helped and harmed. The difference, interval and p do not depend on it, and the A/A rate sees
    all trials: a baseline that repeats itself has rate 0, not None. One random method needs every trial of its partner,
    even if those are copies. Raises ValueError when the methods share no task or a task has no trial.
    """
    return compare_all(baseline, [method], once=[once], confidence=confidence, seed=seed)[0]


def compare_all(
    baseline: Outcomes,
    methods: Sequence[Outcomes],
    *,
    once: Sequence[bool] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> list[Comparison]:
    """:func:`compare` of every method with the baseline; their bootstraps share the samples of tasks."""
    pairs = []
    for method in methods:
        tasks = shared_tasks(baseline, method)
        pairs.append((tasks, task_means(baseline, tasks), task_means(method, tasks)))
    resampled: dict[int, list[int]] = {}
    for i, (tasks, before, after) in enumerate(pairs):
        if not (yes_or_no(before) and yes_or_no(after)) and not constant(after - before):
            resampled.setdefault(len(tasks), []).append(i)
    intervals: dict[int, Interval] = {}
    for group in resampled.values():
        columns = np.column_stack([pairs[i][2] - pairs[i][1] for i in group])
        intervals |= zip(group, bootstrap_intervals(columns, confidence=confidence, seed=seed), strict=True)
    rates: dict[int, float | None] = {}
    out = []
    for i, (method, (tasks, before, after)) in enumerate(zip(methods, pairs, strict=True)):
        exact = yes_or_no(before) and yes_or_no(after)
        if exact:
            table = paired_table(before == 1, after == 1)
            ci, p = newcombe_interval(table, confidence), mcnemar_exact(table)
        else:
            ci = intervals[i] if i in intervals else _constant_interval(before, after, confidence)
            p = sign_flip_test(after - before, seed=seed)
        if len(tasks) not in rates or len(tasks) < len(baseline):
            rates[len(tasks)] = aa_flip_rate({task: baseline[task] for task in tasks})
        flips = count_flips(*map(first_trials, (baseline, method)) if once and once[i] else (baseline, method))
        out.append(
            Comparison(
                difference=float(np.mean(after) - np.mean(before)),
                ci=ci,
                p=p,
                test="mcnemar" if exact else "sign flip",
                tasks=len(tasks),
                pairs=flips.pairs,
                helped=flips.helped,
                harmed=flips.harmed,
                aa_flip_rate=rates[len(tasks)],
            )
        )
    return out


def first_trials(outcomes: Outcomes) -> Outcomes:
    """The first trial of every task alone."""
    return {task: trials[:1] for task, trials in outcomes.items()}


def _constant_interval(before: FloatArray, after: FloatArray, confidence: float) -> Interval:
    differences = after - before
    rates = float(after.mean()), float(before.mean())
    agreement = 0.0 if differences.any() else full_agreement(rates[0], differences.size)
    return square_and_add(*rates, differences.size, agreement, confidence)


def full_agreement(rate: float, n: int) -> float:
    """The continuity-corrected correlation of two yes-or-no outcomes that agree on all of n tasks: 1 − 1/(2np(1−p)).

    Newcombe 1998 (as in `square_and_add`), method 10, with no discordant pair: φ = (ad − n/2)/√(ad·ad), a = np,
    d = n(1−p); 0 where that is negative or the rate is 0 or 1.
    """
    spread = 2 * n * rate * (1 - rate)
    return 0.0 if spread <= 1 else 1 - 1 / spread
