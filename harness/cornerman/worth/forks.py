"""RUN/forks.jsonl: what every fork came to, one line each, whole or not at all; append only. And files like it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from cornerman.errors import POLICY, End, RunInterrupted, UsageError
from cornerman.records import Record, Usage
from cornerman.store import end_of_last_line
from cornerman.worth.arms import Arm
from cornerman.worth.drawing import key
from cornerman.worth.places import Place

R = TypeVar("R", bound=Record)
FORKS = "forks.jsonl"
SCHEMA = 1


class Forked(Record, frozen=True, kw_only=True):
    """One fork: where and how it parted from the record, and what it came to.

    `method` and `digest` say whose episode it was. `action` is the first one executed, `suggestion` the one that the
    words named, `said` how many words there were. `turns` were played after the moment; `played` is the SHA-256 of the
    whole action log. `repeats` says whether the fork is the recorded continuation, where it should be.
    """

    schema: int = SCHEMA
    method: str
    digest: str
    place: Place
    arm: Arm
    sample: int
    success: bool
    score: float
    end: End
    error: str | None = None
    action: str | None = None
    suggestion: str | None = None
    said: int = 0
    turns: int = 0
    played: str = ""
    repeats: bool | None = None
    usage: dict[str, Usage] = {}
    dollars: float = 0.0
    seconds: float = 0.0

    @property
    def key(self) -> tuple[object, ...]:
        """What makes a fork itself: the method as it was, the moment, the arm and the sample."""
        return (self.digest, *key(self.place), self.arm, self.sample)


def read_forks(folder: Path) -> Iterator[Forked]:
    """The whole lines of a run's forks, in the order written. A torn last line is left out."""
    return read_lines(folder / FORKS, Forked, "a fork")


def read_lines(path: Path, kind: type[R], what: str) -> Iterator[R]:
    """The whole lines of a file, in the order written. Raises `UsageError` for one that is no record of `what`."""
    if not path.exists():
        return
    decoder, number = msgspec.json.Decoder(kind), 0
    try:
        with path.open("rb") as file:
            for line in file:
                number += 1
                if line.endswith(b"\n"):
                    yield decoder.decode(line)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} line {number} is no record of {what}: {error}; move the file away") from error


def settled_forks(folder: Path) -> dict[tuple[object, ...], Forked]:
    """The last record of every fork that did not end in an error which is worth another try."""
    last = {fork.key: fork for fork in read_forks(folder)}
    return {k: f for k, f in last.items() if not POLICY[f.end].replay}


class LineFile:
    """A file of lines open for writing, by one process at a time; a torn last line is cut."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = self.path.open("ab+", buffering=0)
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise UsageError(f"another process is forking {path.parent}; wait for it") from None
        size = self._file.seek(0, os.SEEK_END)
        self._file.truncate(end_of_last_line(self._file, size))

    def append(self, lines: bytes) -> None:
        """Add lines, durable when this returns. Raises `RunInterrupted` when they cannot be written."""
        size = self._file.seek(0, os.SEEK_END)
        rest = memoryview(lines)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(size)
            raise RunInterrupted(
                f"{self.path} cannot be written: {error.strerror}; make room, and the same command goes on"
            ) from error

    def close(self) -> None:
        """Give the file free."""
        self._file.close()
