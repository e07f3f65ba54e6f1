"""The columns of which summaries are computed: an episode in numbers as one row of a table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cornerman.records import Episode, Usage
from cornerman.tally import tally

if TYPE_CHECKING:
    import pyarrow as pa

COUNTS = tuple(f for f in Usage.__struct_fields__ if f not in ("seconds", "queue_seconds"))
"""The whole numbers of a usage."""
SECONDS = ("seconds", "queue_seconds")


def numbers(episode: Episode) -> dict[str, Any]:
    """An episode's row. `usage` has an entry for every role and model, `timings` one for every call that was made."""
    told = tally(episode)
    usage, timings = [], []
    for (role, model), calls in told.calls.items():
        total = sum(calls, Usage())
        usage.append({"role": role, "model": model} | {f: getattr(total, f) for f in (*COUNTS, *SECONDS)})
        timings += [{"role": role} | {f: getattr(u, f) for f in SECONDS} for u in calls if not (u.taped or u.hits)]
    return {
        "task": episode.task.id,
        "method": episode.method,
        "trial": episode.trial,
        "success": told.success,
        "score": told.score,
        "end": str(told.end),
        "turns": told.turns,
        "seconds": told.seconds,
        "played": told.played,
        "interventions": told.interventions,
        "out_of_budget": int(told.out_of_budget),
        "critic_errors": told.critic_errors,
        "unparsed": told.unparsed,
        "answered": told.answered,
        "prompt_tokens": sum(u["prompt"] for u in usage),
        "cached_tokens": sum(u["cached"] for u in usage),
        "output_tokens": sum(u["output"] for u in usage),
        "usage": usage,
        "timings": timings,
    }


def schema() -> pa.Schema:
    """The columns and their types."""
    import pyarrow as pa

    whole, real, text = pa.int64(), pa.float64(), pa.string()
    usage = [("role", text), ("model", text), *((f, whole) for f in COUNTS), *((f, real) for f in SECONDS)]
    timings = [("role", text), *((f, real) for f in SECONDS)]
    return pa.schema(
        [
            *((name, text) for name in ("task", "method")),
            ("trial", whole),
            ("success", pa.bool_()),
            ("score", real),
            ("end", text),
            ("turns", whole),
            ("seconds", real),
            ("played", text),
            *((name, whole) for name in ("interventions", "out_of_budget", "critic_errors", "unparsed", "answered")),
            *((f"{kind}_tokens", whole) for kind in ("prompt", "cached", "output")),
            ("usage", pa.list_(pa.struct(usage))),
            ("timings", pa.list_(pa.struct(timings))),
        ]
    )


def write(episodes: Iterable[Episode], path: Path) -> None:
    """Write the columns of some episodes to a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist([numbers(e) for e in episodes], schema=schema()), path)
