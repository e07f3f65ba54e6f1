"""What every statistic starts from: the successes of one method, by task and trial.

A task's list holds one success per requested trial, in the order of the trials; an episode that ended in an error or
was never recorded is a failure, not a gap. The unit of analysis is the task: trials of one task resemble each other,
so they are averaged first, and every interval and test sees one number per task (Miller 2024, "Adding Error Bars to
Evals", arXiv:2411.00640, on clustered questions).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Outcomes = Mapping[str, Sequence[bool]]
"""Task id to the successes of its trials."""

Transcripts = Mapping[str, Sequence[str]]
"""Task id to a digest of each trial's transcript, in the order of the outcomes."""

FloatArray = NDArray[np.float64]


def task_means(outcomes: Outcomes, tasks: Sequence[str] | None = None) -> FloatArray:
    """Success rate of each task over its trials, shape (tasks,), in the order of ``tasks`` (default: sorted ids).

    Raises ValueError when there is no task, or when a task has no trial.
    """
    names = sorted(outcomes) if tasks is None else tasks
    if not names:
        raise ValueError("no task to average over: give at least one task with its outcomes")
    for name in names:
        if len(outcomes[name]) == 0:
            raise ValueError(
                f"task {name!r} has no trial: enter a failure (False) for every requested episode that is missing"
            )
    trials: FloatArray = np.array([len(outcomes[name]) for name in names], dtype=np.float64)
    return np.array([sum(map(bool, outcomes[name])) for name in names], dtype=np.float64) / trials


def shared_tasks(baseline: Outcomes, method: Outcomes) -> list[str]:
    """Sorted ids of the tasks that both methods played. Raises ValueError when there is none."""
    tasks = sorted(baseline.keys() & method.keys())
    if not tasks:
        raise ValueError(
            f"the two methods share no task ({len(baseline)} against {len(method)} tasks): "
            "compare methods that were run on the same suite"
        )
    return tasks


def difference_matrix(baseline: Outcomes, methods: Sequence[Outcomes]) -> FloatArray:
    """Task means of each method minus the baseline's, shape (methods, tasks of the baseline in sorted order).

    A task that a method did not play stands as 0, which changes no statistic of :func:`cornerman.stats.max_t`.
    """
    columns = {task: column for column, task in enumerate(sorted(baseline))}
    matrix = np.zeros((len(methods), len(columns)))
    for row, method in enumerate(methods):
        tasks = shared_tasks(baseline, method)
        matrix[row, [columns[task] for task in tasks]] = task_means(method, tasks) - task_means(baseline, tasks)
    return matrix


def repeats_itself(outcomes: Outcomes, transcripts: Transcripts) -> bool:
    """Whether every trial of every task is a copy of that task's first trial, in transcript and in outcome.

    True for a method without randomness, such as one at temperature 0 on an engine whose arithmetic does not depend
    on the batch. One trial that differs on one task makes it False: dropping only the copies among a random method's
    trials would tilt its rate towards the rare ones. Raises ValueError when the two mappings differ in tasks or in
    number of trials.
    """
    for task, successes in outcomes.items():
        digests = transcripts.get(task, ())
        if len(digests) != len(successes):
            raise ValueError(
                f"task {task!r} has {len(successes)} outcomes and {len(digests)} transcript digests: "
                "give one digest per outcome, in the same order"
            )
        if len(set(zip(digests, successes, strict=True))) > 1:
            return False
    return True
