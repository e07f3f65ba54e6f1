"""pass@k (any of k trials succeeds) and pass^k (all of k do), unbiased from n ≥ k trials."""

from collections.abc import Callable
from math import comb

import numpy as np

from cornerman.stats.outcomes import FloatArray, Outcomes


def pass_at_k(successes: int, trials: int, k: int) -> float:
    """Probability that at least one of k trials drawn from the recorded ones succeeds: 1 − C(n−c, k) / C(n, k).

    Unbiased for the chance that one of k fresh trials succeeds, unlike 1 − (1 − c/n)^k.
    Source: Chen et al. 2021, "Evaluating large language models trained on code", arXiv:2107.03374, equation 1.
    """
    _check(successes, trials, k)
    return 1 - comb(trials - successes, k) / comb(trials, k)


def pass_hat_k(successes: int, trials: int, k: int) -> float:
    """Probability that all of k trials drawn from the recorded ones succeed: C(c, k) / C(n, k), read pass^k.

    Unbiased for the chance that k fresh trials all succeed.
    Source: Yao et al. 2024, "τ-bench: a benchmark for tool-agent-user interaction in real-world domains",
    arXiv:2406.12045, section 3 (the pass^k metric).
    """
    _check(successes, trials, k)
    return comb(successes, k) / comb(trials, k)


def task_pass_at_k(outcomes: Outcomes, k: int) -> FloatArray:
    """pass@k of each task, shape (tasks,), in sorted order of ids.

    Their mean and its interval: :func:`cornerman.stats.estimate_mean`. Raises ValueError, naming the task, where one
    has fewer than k trials: leaving it out would change the panel.
    """
    return _per_task(outcomes, k, pass_at_k)


def task_pass_hat_k(outcomes: Outcomes, k: int) -> FloatArray:
    """pass^k of each task, shape (tasks,), in sorted order of ids; see :func:`task_pass_at_k`."""
    return _per_task(outcomes, k, pass_hat_k)


def _per_task(outcomes: Outcomes, k: int, formula: Callable[[int, int, int], float]) -> FloatArray:
    short = [task for task, trials in outcomes.items() if len(trials) < k]
    if short:
        raise ValueError(
            f"k = {k} needs {k} trials of every task, but {len(short)} of {len(outcomes)} have fewer "
            f"(task {min(short)!r} has {len(outcomes[min(short)])}): run more trials or ask for a smaller k"
        )
    known: dict[tuple[int, int], float] = {}
    counts = ((sum(map(bool, outcomes[task])), len(outcomes[task])) for task in sorted(outcomes))
    return np.array([known[c] if c in known else known.setdefault(c, formula(*c, k)) for c in counts])


def _check(successes: int, trials: int, k: int) -> None:
    if not (0 <= successes <= trials and 1 <= k <= trials):
        raise ValueError(
            f"{successes} successes in {trials} trials with k = {k}: need 0 ≤ successes ≤ trials, 1 ≤ k ≤ trials"
        )
