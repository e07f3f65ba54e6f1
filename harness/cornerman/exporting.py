"""Runs as training data that other tools read: chats for supervised fine-tuning, pairs for preference training.

The columns are those of TRL's conversational formats: `messages` for its SFT trainer; `prompt`, `chosen` and `rejected`
for its DPO trainer. Pairs are matched: one prefix, word for word as the actor saw it, and two actions after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from cornerman.errors import UsageError
from cornerman.parquet import messages, row, schema
from cornerman.records import Attempt, Episode
from cornerman.store import temporary

Format = Literal["parquet", "sft", "dpo"]
Chat = list[dict[str, str]]


def chat(attempt: Attempt) -> Chat:
    """An attempt as a chat that templates take: no two messages of one role in a row, the actor's action last."""
    merged: Chat = []
    for message in messages(attempt):
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1] = {**message, "content": f"{merged[-1]['content']}\n\n{message['content']}"}
        else:
            merged.append(message)
    while merged and merged[-1]["role"] != "assistant":
        merged.pop()
    return merged


def whole(episode: Episode) -> list[Attempt]:
    """The attempts that began at the start: of the others the first turns stand elsewhere."""
    return [a for a in episode.attempts if a.start.kind == "reset" and a.turns]


def sft(episodes: Iterable[Episode], solved_only: bool) -> Iterator[dict[str, Any]]:
    """A row for every attempt; by default for those that solved their task."""
    for episode in episodes:
        for attempt in whole(episode):
            if (attempt.success or not solved_only) and (said := chat(attempt)):
                yield {"messages": said, **about(episode), "success": bool(attempt.success), "score": attempt.score}


def dpo(episodes: Iterable[Episode]) -> Iterator[dict[str, Any]]:
    """A row for every prefix after which one attempt went on to solve the task and another one did not.

    chosen: an action that a solving attempt took there; rejected: one that only failing attempts took.
    """
    forks: dict[bytes, dict[str, Any]] = {}
    for episode in episodes:
        for attempt in whole(episode):
            said = chat(attempt)
            digest = hashlib.sha256(msgspec.msgpack.encode(episode.task.id))
            for i, message in enumerate(said):
                if message["role"] == "assistant":
                    fork = forks.setdefault(digest.digest(), {"prompt": said[:i], "of": about(episode), "went": {}})
                    fork["went"][message["content"]] = fork["went"].get(message["content"], False) or attempt.success
                digest.update(msgspec.msgpack.encode(message))
    for fork in forks.values():
        good = [action for action, solved in fork["went"].items() if solved]
        bad = [action for action, solved in fork["went"].items() if not solved]
        for chosen in good:
            for rejected in bad:
                yield {"prompt": fork["prompt"], "chosen": answer(chosen), "rejected": answer(rejected), **fork["of"]}


def about(episode: Episode) -> dict[str, Any]:
    """Where a row comes from."""
    return {"env": episode.task.env, "task": episode.task.id, "method": episode.method, "trial": episode.trial}


def answer(action: str) -> Chat:
    """An action as the assistant's message."""
    return [{"role": "assistant", "content": action}]


def export(episodes: Sequence[Episode], form: Format, out: Path, solved_only: bool = True) -> int:
    """Write a Parquet file; answers how many rows it has. Raises `UsageError` where there would be none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if form == "parquet":
        found, columns = [row(e) for e in {e.key: e for e in episodes}.values()], schema()
    else:
        found = list(dpo(episodes) if form == "dpo" else sft(episodes, solved_only))
        columns = training_schema(form)
    if not found:
        why = {
            "dpo": "no attempts that solve and fail a task part after the same words; play more trials",
            "sft": "no attempt solved its task; --all takes the others too",
            "parquet": "it holds no episode",
        }
        raise UsageError(f"there is nothing to export as {form}: {why[form]}")
    new = temporary(out)
    try:
        pq.write_table(pa.Table.from_pylist(found, schema=columns), new, compression="zstd")
        new.replace(out)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from error
    except (OverflowError, pa.ArrowInvalid) as error:
        raise UsageError(f"{out} cannot hold what an episode says: {error}; mend or remove that line") from error
    return len(found)


def training_schema(form: Format) -> Any:
    """The columns of training data and their types."""
    import pyarrow as pa

    said = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    names = ("prompt", "chosen", "rejected") if form == "dpo" else ("messages",)
    result = [] if form == "dpo" else [("success", pa.bool_()), ("score", pa.float64())]
    place = [("env", pa.string()), ("task", pa.string()), ("method", pa.string()), ("trial", pa.int64())]
    return pa.schema([*((name, said) for name in names), *place, *result])
