"""What a run's episodes come to, by method: counted by DuckDB over their columns.

Sums of real numbers are exact and so the same in whatever order episodes ended and threads added them up: every number
is a whole multiple of 2^-60, or rounded to one, and added as an integer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cornerman.columns import COUNTS, SECONDS
from cornerman.prices import Prices, cached_price
from cornerman.records import Usage

if TYPE_CHECKING:
    import duckdb

UNIT = 2**60
MEMORY = "768MB"
"""What DuckDB may use; beyond it, it writes to disk where it can."""
Cells = NDArray[np.float64]


@dataclass(frozen=True)
class Figures:
    """One method's episodes. Cells are of shape (tasks, trials), 0 or False where nothing is recorded.

    tasks are in the order in which they were asked for. repeats: every trial of every task is a copy of its first.
    score and seconds are sums. usage: by role and model. latency: see `cornerman.summary.Row`. asked: which episodes
    the actor asked in and was answered, None where there is none; scores goes with it. tokens and dollars are those of
    all roles, dollars 0 for models without a price.
    """

    recorded: NDArray[np.bool_]
    success: NDArray[np.bool_]
    turns: Cells
    seconds: Cells
    tokens: Cells
    dollars: Cells
    repeats: bool
    score: float
    interventions: int
    out_of_budget: int
    critic_errors: int
    unparsed: int
    errors: dict[str, int]
    usage: dict[tuple[str, str], Usage]
    latency: dict[str, dict[str, float]]
    asked: NDArray[np.bool_] | None
    scores: Cells | None


def exact(column: str) -> str:
    """SQL for the sum of a real column, as a whole number of `UNIT`s."""
    return f"sum(({column} * {UNIT})::HUGEINT)"


def figures(source: Path, methods: Sequence[str], tasks: Sequence[str], trials: int, prices: Prices) -> list[Figures]:
    """The figures of every method, from a file of the columns of `cornerman.columns`.

    Episodes of other methods, tasks or trials are left out.
    """
    with counting(source, methods, tasks, trials) as db:
        shape = (len(methods), len(tasks), trials)
        cells = matrices(db, shape, prices)
        sums = {row[0]: row[1:] for row in db.execute(SUMS).fetchall()}
        errors: list[dict[str, int]] = [{} for _ in methods]
        for arm, end, count in db.execute(ENDS).fetchall():
            errors[arm][end] = count
        usage: list[dict[tuple[str, str], Usage]] = [{} for _ in methods]
        for arm, role, model, *counts in db.execute(USAGE).fetchall():
            seconds = [c / UNIT for c in counts[len(COUNTS) :]]
            whole = [int(c) for c in counts[: len(COUNTS)]]
            fields: dict[str, Any] = dict(zip((*COUNTS, *SECONDS), (*whole, *seconds), strict=True))
            usage[arm][role, model] = Usage(**fields)
        waits: list[dict[str, dict[str, float]]] = [{} for _ in methods]
        for arm, role, each, queued in db.execute(LATENCY).fetchall():
            waits[arm][role] = dict(zip(("p50", "p95", "queue_p50", "queue_p95"), (*each, *queued), strict=True))
        varied = {arm for (arm,) in db.execute(VARIED, {"trials": trials}).fetchall()}
        out = []
        for i in range(len(methods)):
            score, interventions, ended, critic_errors, unparsed, answered = sums.get(i, (0,) * 6)
            out.append(
                Figures(
                    **{name: values[i] for name, values in cells.items()},
                    repeats=trials == 1 or i not in varied,
                    score=score / UNIT,
                    interventions=int(interventions),
                    out_of_budget=int(ended),
                    critic_errors=int(critic_errors),
                    unparsed=int(unparsed),
                    errors=errors[i],
                    usage=usage[i],
                    latency=waits[i],
                    **(asking(db, i, shape[1:]) if answered else {"asked": None, "scores": None}),
                )
            )
        return out


@contextmanager
def counting(
    source: Path, methods: Sequence[str], tasks: Sequence[str], trials: int
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in which `kept` holds the episodes that were asked for: `arm` and `place` number method and task."""
    import duckdb

    db = duckdb.connect(config={"memory_limit": MEMORY})
    try:
        for name, key, values in (("arms", "arm", methods), ("panel", "place", tasks)):
            column = {"arm": "method", "place": "task"}[key]
            numbered = f"SELECT unnest($names) AS {column}, unnest(range(len($names))) AS {key}"
            db.execute(f"CREATE TEMP TABLE {name} AS {numbered}", {"names": list(values)})
        db.read_parquet(str(source)).create_view("episodes")
        db.execute(
            "CREATE TEMP VIEW kept AS SELECT * EXCLUDE (method, task) FROM episodes JOIN arms USING (method) "
            f"JOIN panel USING (task) WHERE trial BETWEEN 0 AND {int(trials) - 1}"
        )
        yield db
    finally:
        db.close()


CELLS = """
SELECT arm, place, trial, success, turns, seconds,
    prompt_tokens + cached_tokens + output_tokens AS tokens, {dollars} AS dollars
FROM kept
"""
SUMS = f"""
SELECT arm, {exact("score")}, sum(interventions), sum(out_of_budget), sum(critic_errors), sum(unparsed), sum(answered)
FROM kept GROUP BY arm
"""
ENDS = 'SELECT arm, "end", count(*) FROM kept GROUP BY ALL ORDER BY ALL'
USAGE = f"""
SELECT arm, u.role, u.model, {", ".join(f"sum(u.{f})" for f in COUNTS)}, {", ".join(exact(f"u.{f}") for f in SECONDS)}
FROM (SELECT arm, unnest(usage) AS u FROM kept) GROUP BY ALL ORDER BY ALL
"""
LATENCY = """
SELECT arm, t.role, quantile_cont(t.seconds, [0.5, 0.95]), quantile_cont(t.queue_seconds, [0.5, 0.95])
FROM (SELECT arm, unnest(timings) AS t FROM kept) GROUP BY ALL
"""
VARIED = """
SELECT DISTINCT arm FROM (
    SELECT arm, count(*) AS n, min(played) = max(played) AND min(success) = max(success) AS same
    FROM kept GROUP BY arm, place
) WHERE n < $trials OR NOT same
"""


def matrices(db: duckdb.DuckDBPyConnection, shape: tuple[int, int, int], prices: Prices) -> dict[str, NDArray[Any]]:
    """Cells of every method, shape (methods, tasks, trials)."""
    cases = []
    values: dict[str, str | float] = {}
    for i, (model, price) in enumerate(prices.items()):
        cases.append(f"WHEN $m{i} THEN u.prompt * $p{i} + u.cached * $c{i} + u.output * $o{i}")
        values |= {f"m{i}": model, f"p{i}": price.prompt, f"c{i}": cached_price(price), f"o{i}": price.output}
    each = f"list_transform(usage, lambda u: CASE u.model {' '.join(cases)} ELSE 0 END)"
    query = CELLS.format(dollars=f"list_sum({each}) / 1e6" if cases else "0")
    found = db.execute(query, values).fetchnumpy()
    where = tuple(np.asarray(found[name], dtype=np.intp) for name in ("arm", "place", "trial"))
    out: dict[str, NDArray[Any]] = {"recorded": np.zeros(shape, dtype=bool), "success": np.zeros(shape, dtype=bool)}
    out["recorded"][where] = True
    out["success"][where] = found["success"]
    for name in ("turns", "seconds", "tokens", "dollars"):
        out[name] = np.zeros(shape)
        out[name][where] = np.ma.filled(found[name], 0)
    return out


def asking(db: duckdb.DuckDBPyConnection, arm: int, shape: tuple[int, int]) -> dict[str, NDArray[Any]]:
    """Which of a method's episodes asked and were answered, and all scores."""
    found = db.execute("SELECT place, trial, score, answered FROM kept WHERE arm = $arm", {"arm": arm}).fetchnumpy()
    where = tuple(np.asarray(found[name], dtype=np.intp) for name in ("place", "trial"))
    asked, scores = np.zeros(shape, dtype=bool), np.zeros(shape)
    asked[where], scores[where] = found["answered"] > 0, found["score"]
    return {"asked": asked, "scores": scores}
