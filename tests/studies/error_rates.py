"""How often tests err where no method differs from the baseline, and how often intervals hold the truth.

    python -m tests.studies.error_rates [--simulations N]

writes the table of docs/statistics.md anew; minutes, and no part of the tests.

The world of a simulation: a task's chance to be solved is drawn from Beta(0.5, 0.5) for the baseline, most tasks being
easy or hard for it. A method's chance on it is drawn anew from the same distribution for half of the tasks: it helps on
some and harms on others, and over all tasks there may ever be the difference is zero. Trials are independent. So every
rejection at 5 % is an error, and every interval should hold 0.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from cornerman.stats import compare_all, holm, max_t
from cornerman.stats.outcomes import FloatArray, Outcomes, task_means

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
BEGIN, END = "<!-- measured: python -m tests.studies.error_rates -->", "<!-- /measured -->"
CELLS = ((12, 1), (12, 3), (50, 1), (50, 3), (200, 1), (200, 3))
"""Tasks and trials."""
METHODS = 10
"""Of a family, none of which differs."""
ALPHA = 0.05


def world(rng: np.random.Generator, tasks: int, trials: int) -> list[Outcomes]:
    """The outcomes of the baseline and of `METHODS` methods on one draw of tasks."""
    base = rng.beta(0.5, 0.5, tasks)
    other = np.where(rng.random((METHODS, tasks)) < 0.5, rng.beta(0.5, 0.5, (METHODS, tasks)), base)
    solved = rng.random((METHODS + 1, tasks, trials)) < np.vstack([base, other])[:, :, None]
    return [{str(i): list(map(bool, row)) for i, row in enumerate(arm)} for arm in solved]


def errors(tasks: int, trials: int, simulations: int) -> FloatArray:
    """Shares of simulations: one p at most 5 %, its interval without 0, any of the family by Holm, any by max-T."""
    rng = np.random.default_rng([tasks, trials])
    wrong = np.zeros(4)
    for number in range(simulations):
        baseline, *methods = world(rng, tasks, trials)
        found = compare_all(baseline, methods, seed=number)
        means = task_means(baseline, list(baseline))
        differences = [task_means(m, list(baseline)) - means for m in methods]
        low, high = found[0].ci
        wrong += (
            found[0].p <= ALPHA,
            not low <= 0 <= high,
            holm([c.p for c in found]).min() <= ALPHA,
            max_t(differences, seed=number, flips=2000).min() <= ALPHA,
        )
    return wrong / simulations


def table(simulations: int) -> str:
    """A row a cell."""
    known = 196 * (0.0475 / simulations) ** 0.5
    head = f"{simulations:,} simulations each; a share of 5 % is known to ±{known:.1f} points."
    lines = [
        "| tasks × trials | p ≤ .05 | interval without 0 | any of 10, Holm | any of 10, max-T |",
        "|---|---:|---:|---:|---:|",
    ]
    for tasks, trials in CELLS:
        shares = " | ".join(f"{100 * share:.1f} %" for share in errors(tasks, trials, simulations))
        lines.append(f"| {tasks} × {trials} | {shares} |")
        print(lines[-1], flush=True)
    return head + "\n\n" + "\n".join(lines)


def main() -> None:
    """Simulate, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.error_rates")
    parser.add_argument("--simulations", type=int, default=1000)
    made = table(parser.parse_args().simulations)
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{PAGE.name} has no lines {BEGIN} and {END}")
    PAGE.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
