"""Episodes as Parquet: flat columns for DuckDB, and `messages` as `datasets` and TRL read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cornerman.records import Attempt, Episode
from cornerman.store import latest, temporary

FILE = "episodes.parquet"


def messages(attempt: Attempt) -> list[dict[str, str]]:
    """An attempt as a chat: what the actor read as `user`, what it did as `assistant`, words beside them as `user`."""
    opening = attempt.opening if attempt.opening_delivered is None else attempt.opening_delivered
    chat = [{"role": "system", "content": attempt.goal}] if attempt.goal else []
    chat.append({"role": "user", "content": opening})
    words: dict[int, list[str]] = {}
    for item in attempt.context:
        words.setdefault(item.at, []).append(item.text)
    first = attempt.turns[0].index if attempt.turns else 0
    for turn in attempt.turns:
        for text in words.pop(turn.index, []) if turn.index >= first else []:
            chat.append({"role": "user", "content": text})
        if turn.executed is not None:
            chat.append({"role": "assistant", "content": turn.executed})
            chat.append({"role": "user", "content": turn.shown})
    return chat


def rows(episodes: dict[tuple[str, str, int], Episode]) -> Iterator[dict[str, Any]]:
    """One row an episode."""
    for episode in episodes.values():
        attempt = None if episode.counted is None else episode.attempts[episode.counted]
        spent = list(episode.usage.values())
        yield {
            "env": episode.task.env,
            "task": episode.task.id,
            "family": episode.task.family,
            "split": episode.task.split,
            "method": episode.method,
            "trial": episode.trial,
            "success": episode.success,
            "score": episode.score,
            "end": str(episode.end),
            "attempts": len(episode.attempts),
            "turns": sum(len(a.turns) for a in episode.attempts),
            "critiques": sum(len(t.critiques) for a in episode.attempts for t in a.turns)
            + sum(len(a.critiques) for a in episode.attempts),
            "calls": sum(u.calls for u in spent),
            "prompt_tokens": sum(u.prompt for u in spent),
            "cached_tokens": sum(u.cached for u in spent),
            "output_tokens": sum(u.output for u in spent),
            "seconds": episode.seconds,
            "messages": messages(attempt) if attempt else [],
        }


def write_parquet(folder: Path) -> Path:
    """Compact a run's episodes; the file is replaced whole."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / FILE
    new = temporary(path)
    pq.write_table(pa.Table.from_pylist(list(rows(latest(folder))), schema=schema()), new, compression="zstd")
    new.replace(path)
    return path


def schema() -> Any:
    """The columns and their types."""
    import pyarrow as pa

    text, number, real = pa.string(), pa.int64(), pa.float64()
    plain = {
        "env": text,
        "task": text,
        "family": text,
        "split": text,
        "method": text,
        "trial": number,
        "success": pa.bool_(),
        "score": real,
        "end": text,
        "attempts": number,
        "turns": number,
        "critiques": number,
        "calls": number,
        "prompt_tokens": number,
        "cached_tokens": number,
        "output_tokens": number,
        "seconds": real,
        "messages": pa.list_(pa.struct([("role", text), ("content", text)])),
    }
    return pa.schema(list(plain.items()))
