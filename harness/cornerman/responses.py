"""The response cache: what models answered, kept across runs and shared by the processes of a machine.

A run that is played again asks the same questions with the same seeds, and pays for none of them twice. The key holds
the model with its options, the trial, the messages, how to sample and the seeds: so trials and the samples of pass@N,
which differ in their seeds, are never answered from each other. A hit is billed like the call that it stands for and
has no seconds.
"""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec

from cornerman.errors import UsageError
from cornerman.model import Generation, Model, Sampling
from cornerman.paths import cache_root
from cornerman.records import Message

FILE = "responses.sqlite"
VERSION = 1
"""Of what a key and an answer hold; answers of other versions are not found."""
_BUSY_SECONDS = 30.0
"""How long one process waits for another's write."""
_DECODER = msgspec.msgpack.Decoder(Generation)


def default_path() -> Path:
    """The file below the cache folder of this machine's user."""
    return cache_root() / FILE


def key(
    model: Model,
    trial: int,
    messages: Sequence[Message],
    wanted: Sampling | Sequence[str],
    seeds: Sequence[int] = (),
) -> bytes:
    """SHA-256 of a question. `wanted`: how to sample, or the continuations to score.

    What the model says of itself belongs to it, less the checkpoint that a server names only after its first answer.
    """
    about = {k: v for k, v in model.describe().items() if k != "checkpoint"}
    asked = wanted if isinstance(wanted, Sampling) else list(wanted)
    question = (VERSION, model.name, about, trial, list(messages), asked, list(seeds))
    return hashlib.sha256(msgspec.msgpack.encode(question, order="deterministic", enc_hook=str)).digest()


class Responses:
    """The answers in one SQLite file. Safe for threads and for processes; asked off the event loop."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None)
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer BLOB NOT NULL)")
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    async def find(self, key: bytes) -> Generation | None:
        """The answer kept for a question, or None; one that cannot be read counts as none."""
        row = await asyncio.to_thread(self._run, "SELECT answer FROM answers WHERE key = ?", (key,))
        try:
            return None if row is None else _DECODER.decode(row[0])
        except msgspec.DecodeError:
            return None

    async def keep(self, key: bytes, answer: Generation) -> None:
        """Keep an answer; the first of several for one question stays."""
        values = (key, msgspec.msgpack.encode(answer))
        await asyncio.to_thread(self._run, "INSERT OR IGNORE INTO answers VALUES (?, ?)", values)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._base.close()

    def _run(self, statement: str, values: tuple[bytes, ...]) -> tuple[bytes] | None:
        try:
            with self._lock:
                row: tuple[bytes] | None = self._base.execute(statement, values).fetchone()
                return row
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> UsageError:
        return UsageError(f"the response cache {self._path} cannot be used: {error}; delete it, or run without --cache")
