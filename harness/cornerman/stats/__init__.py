"""Statistics of success on tasks: intervals, paired tests, families, pass@k, flips and budgets.

Pure functions of plain mappings and arrays. ``cornerman`` itself does not import this package, so that the command
line starts without numpy and scipy.
"""

from cornerman.stats.bootstrap import bootstrap_interval, bootstrap_intervals
from cornerman.stats.budget import BudgetCurve, Costs, budget_curve, step_curve, successes_per
from cornerman.stats.call_skip import CallSkip, Play, call_skip, call_skip_effects
from cornerman.stats.compare import Comparison, compare, compare_all
from cornerman.stats.family import holm, max_t
from cornerman.stats.flips import Flips, aa_flip_rate, count_flips
from cornerman.stats.intervals import Interval, square_and_add, wilson_interval
from cornerman.stats.outcomes import (
    Outcomes,
    Transcripts,
    difference_matrix,
    repeats_itself,
    shared_tasks,
    task_means,
)
from cornerman.stats.paired import PairedTable, mcnemar_exact, newcombe_interval, paired_table
from cornerman.stats.passk import pass_at_k, pass_hat_k, task_pass_at_k, task_pass_hat_k
from cornerman.stats.perunit import per_unit_interval
from cornerman.stats.rates import Estimate, estimate_mean, estimate_means, estimate_rate
from cornerman.stats.ratio import ratio_interval
from cornerman.stats.signflip import sign_flip_test

__all__ = [
    "BudgetCurve",
    "CallSkip",
    "Comparison",
    "Costs",
    "Estimate",
    "Flips",
    "Interval",
    "Outcomes",
    "PairedTable",
    "Play",
    "Transcripts",
    "aa_flip_rate",
    "bootstrap_interval",
    "bootstrap_intervals",
    "budget_curve",
    "call_skip",
    "call_skip_effects",
    "compare",
    "compare_all",
    "count_flips",
    "difference_matrix",
    "estimate_mean",
    "estimate_means",
    "estimate_rate",
    "holm",
    "max_t",
    "mcnemar_exact",
    "newcombe_interval",
    "paired_table",
    "pass_at_k",
    "pass_hat_k",
    "per_unit_interval",
    "ratio_interval",
    "repeats_itself",
    "shared_tasks",
    "sign_flip_test",
    "square_and_add",
    "step_curve",
    "successes_per",
    "task_means",
    "task_pass_at_k",
    "task_pass_hat_k",
    "wilson_interval",
]
