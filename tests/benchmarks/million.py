"""A run folder of synthetic episodes, as Parquet alone, and its summary, measured in a process of its own.

`python -m tests.benchmarks.million FOLDER [EPISODES]` makes the folder where there is none, summarises it and prints
JSON: wall and CPU seconds from the start of the process, and its peak memory in MB.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

METHODS, TRIALS = 10, 50


def make(folder: Path, episodes: int) -> None:
    """A run of ten methods and 50 trials: two roles, one to seven calls of each an episode, task-varying effects."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from tests.support.recorded import method, write_run

    from cornerman.parquet import GROUP, MARK, mark, schema
    from cornerman.store import EPISODES

    rng = np.random.default_rng(0)
    tasks = episodes // (METHODS * TRIALS)
    names = [f"task-{i:05d}" for i in range(tasks)]
    methods = [method(f"method-{i}") for i in range(METHODS)]
    write_run(folder, methods, [], tasks=names, trials=TRIALS)
    (folder / EPISODES).write_bytes(b"{}\n")  # never read: the Parquet file bears its mark
    columns = schema().with_metadata({MARK: mark(folder)})
    ease = rng.beta(1, 1, tasks)

    def lists(lengths: Any, values: Any) -> Any:
        return pa.ListArray.from_arrays(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32), values)

    def group(arm: int, first: int, size: int) -> Any:
        place = (first + np.arange(size)) // TRIALS
        won = rng.random(size) < np.clip(ease[place] + 0.02 * arm * (ease[place] - 0.3), 0, 1)
        calls = rng.integers(1, 8, 2 * size)
        each, whole = int(calls.sum()), lambda top: pa.array(rng.integers(1, top, 2 * size))
        usage = {
            "role": pa.array(["actor", "critic"] * size),
            "model": pa.array(["m"] * (2 * size)),
            "calls": pa.array(calls),
            "prompt": whole(5000),
            "cached": whole(5000),
            "output": whole(500),
            "reasoning": whole(2),
            "taped": whole(2),
            "hits": whole(2),
            "seconds": pa.array(rng.random(2 * size) * 20),
            "queue_seconds": pa.array(rng.random(2 * size)),
        }
        timings = {
            "role": pa.array(np.repeat(np.tile(["actor", "critic"], size), calls)),
            "seconds": pa.array(rng.gamma(2, 1, each)),
            "queue_seconds": pa.array(rng.random(each)),
        }
        made = calls.reshape(size, 2).sum(axis=1)
        played = [f"{x:064x}" for x in rng.integers(0, 2**62, size)]
        values: dict[str, Any] = {
            "task": [names[i] for i in place],
            "method": [f"method-{arm}"] * size,
            "trial": (first + np.arange(size)) % TRIALS,
            "success": won,
            "score": won * 1.0,
            "end": np.where(won, "success", "truncated"),
            "turns": rng.integers(1, 50, size),
            "seconds": rng.random(size) * 60,
            "played": played,
            "usage": lists(np.full(size, 2), pa.StructArray.from_arrays(list(usage.values()), names=list(usage))),
            "prompt_tokens": rng.integers(1, 5000, size),
            "output_tokens": rng.integers(1, 500, size),
            "timings": lists(made, pa.StructArray.from_arrays(list(timings.values()), names=list(timings))),
            "messages": [[{"role": "user", "content": "You stand here."}]] * size,
        }
        filler = {
            f.name: pa.nulls(size, f.type).fill_null("x" if f.type == pa.string() else 0)
            for f in columns
            if f.name not in values
        }
        return pa.table(
            [pa.array(v) if not isinstance(v, pa.Array) else v for v in ((values | filler)[n] for n in columns.names)],
            schema=columns,
        )

    with pq.ParquetWriter(folder / "episodes.parquet", columns, compression="zstd") as file:
        for arm in range(METHODS):
            for first in range(0, tasks * TRIALS, GROUP):
                file.write_table(group(arm, first, min(GROUP, tasks * TRIALS - first)))


def measured(folder: Path) -> dict[str, float]:
    """What a process that does nothing else takes to summarise the folder, imports included."""
    from cornerman.summary import summarise

    found = summarise(folder)
    assert found.recorded == found.requested
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return {"episodes": found.recorded, "cpu": time.process_time(), "peak_mb": peak}


if __name__ == "__main__":
    target = Path(sys.argv[1])
    if not target.exists():
        make(target, int(sys.argv[2]))
    else:
        started = time.perf_counter()
        result = measured(target)
        print(json.dumps(result | {"wall": time.perf_counter() - started}))
