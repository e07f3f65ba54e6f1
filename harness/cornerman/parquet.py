"""Episodes as Parquet: flat columns for DuckDB, and `messages` as `datasets` and TRL read them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cornerman.columns import numbers
from cornerman.columns import schema as number_columns
from cornerman.records import Attempt, Episode
from cornerman.store import EPISODES, iterate_latest, temporary

if TYPE_CHECKING:
    import pyarrow as pa

FILE = "episodes.parquet"
MARK = b"cornerman.episodes"
"""The key, in the file's own metadata, of the mark of the episodes that it was made of."""
TAIL = 65_536
GROUP = 4096
"""Episodes that are held in memory at once while a file is written, a row group of it."""


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


def row(episode: Episode) -> dict[str, Any]:
    """An episode's row: its numbers, and what else is asked of a file of episodes."""
    attempt = None if episode.counted is None else episode.attempts[episode.counted]
    return numbers(episode) | {
        "env": episode.task.env,
        "family": episode.task.family,
        "split": episode.task.split,
        "attempts": len(episode.attempts),
        "critiques": sum(len(t.critiques) for a in episode.attempts for t in a.turns)
        + sum(len(a.critiques) for a in episode.attempts),
        "calls": sum(u.calls for u in episode.usage.values()),
        "messages": messages(attempt) if attempt else [],
    }


def write_parquet(folder: Path) -> Path:
    """Compact a run's episodes; the file is replaced whole."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / FILE
    new = temporary(path)
    columns = schema().with_metadata({MARK: mark(folder)})
    try:
        with pq.ParquetWriter(new, columns, compression="zstd") as file:
            for group in groups(iterate_latest(folder)):
                file.write_table(pa.Table.from_pylist([row(e) for e in group], schema=columns))
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    return path


def groups(episodes: Iterator[Episode]) -> Iterator[list[Episode]]:
    """Episodes in lists of at most `GROUP`."""
    group: list[Episode] = []
    for episode in episodes:
        group.append(episode)
        if len(group) == GROUP:
            yield group
            group = []
    if group:
        yield group


def schema() -> pa.Schema:
    """The columns and their types."""
    import pyarrow as pa

    text, whole = pa.string(), pa.int64()
    names = ("attempts", "critiques", "calls")
    out = number_columns()
    for field in (*(pa.field(n, text) for n in ("env", "family", "split")), *(pa.field(n, whole) for n in names)):
        out = out.append(field)
    return out.append(pa.field("messages", pa.list_(pa.struct([("role", text), ("content", text)]))))


def mark(folder: Path) -> bytes:
    """What tells whether a run's lines are those that a file was made of: their size, and a digest of the last ones.

    Lines are only ever added. One that was altered in place is found by verification, which reads the lines themselves.
    """
    path = folder / EPISODES
    if not path.exists():
        return b"0"
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL))
        return f"{size} {hashlib.sha256(file.read()).hexdigest()}".encode()


def compacted(folder: Path) -> Path | None:
    """A run's Parquet file, where it stands for all of the run's episodes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / FILE
    if not path.is_file() or not (folder / EPISODES).is_file():
        return None
    try:
        found = pq.read_schema(path)
    except (OSError, pa.ArrowInvalid):
        return None
    this_version = found.equals(schema())
    return path if this_version and (found.metadata or {}).get(MARK) == mark(folder) else None
