"""Run folders: what a run leaves behind, and how a killed one goes on.

    experiment.toml    the resolved experiment
    manifest.json      versions, plug-ins, digests, hardware
    episodes.jsonl     one line an episode, whole or not at all, fsynced; append only
    episodes.parquet   the same, compacted at the end (see `cornerman.parquet`)
    summary.json       what tables read; can always be rebuilt from the episodes

A kill at any moment loses at most the episodes in flight: a torn last line is cut when the folder is next opened for
writing, and the last line of a (task, method, trial) wins. The empty `.lock` is what one writer at a time holds.
"""

from __future__ import annotations

import contextlib
import fcntl
import lzma
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from cornerman.errors import RunInterrupted, UsageError
from cornerman.experiment import Experiment, drift, parse, read_text, to_toml
from cornerman.packed import LONGEST, packed_lines
from cornerman.records import SCHEMA, Episode

EPISODES, EXPERIMENT, MANIFEST, SUMMARY = "episodes.jsonl", "experiment.toml", "manifest.json", "summary.json"
PACKED = "episodes.jsonl.xz"
"""The episodes of a submission, compressed; read where there is no plain file."""
LOCK = ".lock"
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Episode)


class _Head(msgspec.Struct):
    """What every version's record has."""

    schema: int = SCHEMA


_head_decoder = msgspec.json.Decoder(_Head)


def temporary(path: Path) -> Path:
    """Where a file is written before it takes its place."""
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader, or a kill, sees the old content or the new one and nothing between."""
    new = temporary(path)
    with new.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def encode_episode(episode: Episode) -> bytes:
    """An episode as its line. Raises `ValueError` with the place of what no reader could take back."""
    try:
        line = _encoder.encode(episode)
        _decoder.decode(line)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return line + b"\n"


def decode_episode(line: bytes, path: Path, number: int) -> Episode:
    """An episode from its line; a line that is none is one sentence with its place."""
    try:
        episode = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            refuse_newer(_head_decoder.decode(line).schema, path)
        raise UsageError(f"{path} line {number} is no episode record: {error}") from error
    refuse_newer(episode.schema, path)
    return episode


def refuse_newer(schema: int, path: Path) -> None:
    """Raise for records that a later version wrote: what they mean is not known here."""
    if schema > SCHEMA:
        raise UsageError(
            f"{path} was written by a newer Cornerman (record schema {schema}, known here: {SCHEMA}); update this one"
        )


def lines(folder: Path) -> Iterator[bytes]:
    """The whole lines of a run's episodes, in the order written. A torn last line is left out."""
    path = episodes_file(folder)
    if not path.exists():
        return
    try:
        yield from packed_lines(path) if path.name == PACKED else whole_lines(path)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file up to its last newline."""
    with path.open("rb") as file:
        while (line := file.readline(LONGEST)).endswith(b"\n"):
            yield line


def episodes_file(folder: Path) -> Path:
    """The file of a run's episodes: plain, or the packed one of a submission."""
    plain = folder / EPISODES
    return plain if plain.exists() else folder / PACKED


def iterate(folder: Path) -> Iterator[Episode]:
    """The episodes of a run, in the order written."""
    path = episodes_file(folder)
    for number, line in enumerate(lines(folder), 1):
        yield decode_episode(line, path, number)


class _KeyTask(msgspec.Struct):
    id: str


class _Key(msgspec.Struct):
    """What tells an episode from others."""

    task: _KeyTask
    method: str
    trial: int


_key_decoder = msgspec.json.Decoder(_Key)


def count_episodes(folder: Path) -> int:
    """How many (task, method, trial) are recorded; reads nothing else of the lines, so that it is quick."""
    path = folder / EPISODES
    if not path.exists():
        return 0
    try:
        with path.open("rb") as file:
            keys = [_key_decoder.decode(line) for line in file if line.endswith(b"\n")]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} holds a line that is no episode record: {error}") from error
    return len({(k.task.id, k.method, k.trial) for k in keys})


def latest(folder: Path) -> dict[tuple[str, str, int], Episode]:
    """The last record of every (task, method, trial)."""
    return {episode.key: episode for episode in iterate(folder)}


def iterate_latest(folder: Path) -> Iterator[Episode]:
    """The last record of every (task, method, trial), in the order written, one in memory at a time."""
    last: dict[tuple[str, str, int], int] = {}
    for number, line in enumerate(lines(folder)):
        try:
            key = _key_decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            decode_episode(line, episodes_file(folder), number + 1)  # says what is wrong
            raise
        last[key.task.id, key.method, key.trial] = number
    wanted = set(last.values())
    for number, episode in enumerate(iterate(folder)):
        if number in wanted:
            yield episode


def read_experiment(folder: Path) -> Experiment:
    """The experiment that a run folder was made for."""
    path = folder / EXPERIMENT
    if not path.is_file():
        raise UsageError(f"{folder} is no run folder: it has no {EXPERIMENT}")
    return parse(read_text(path), folder.name, str(path))


def read_json(path: Path) -> Any:
    """A JSON file of a run folder."""
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is not valid JSON: {error}") from error


class Writer:
    """A run folder open for writing, by one process at a time. `fresh`: it was made now, not found."""

    def __init__(self, folder: Path, experiment: Experiment) -> None:
        """Make the folder or open it again; refuses one made for another experiment and says which key differs."""
        self.folder = folder
        self.fresh = not (folder / EXPERIMENT).exists()
        self._failed: str | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = self._take_lock(folder)
        except OSError as error:
            raise UsageError(f"{folder} cannot be a run folder: {error.strerror}; choose another --out") from error
        try:
            self._check(experiment)
            self._file = self._open_episodes()
        except OSError as error:
            self._lock.close()
            raise UsageError(f"{error.filename or folder} cannot be used: {error.strerror}") from error
        except BaseException:
            self._lock.close()
            raise

    @staticmethod
    def _take_lock(folder: Path) -> IO[bytes]:
        lock = (folder / LOCK).open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise UsageError(f"another process is writing to {folder}; wait for it or choose another --name") from None
        return lock

    def _check(self, experiment: Experiment) -> None:
        for left in self.folder.glob(".*.tmp"):  # by a writer that was killed
            left.unlink(missing_ok=True)
        path = self.folder / EXPERIMENT
        if not path.exists():
            if (self.folder / EPISODES).exists():
                raise UsageError(f"{self.folder} holds episodes but no {EXPERIMENT}; choose another --name")
            write_whole(path, to_toml(experiment).encode())
            return
        try:
            recorded = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is damaged: {error}; choose another --name") from error
        difference = drift(recorded, tomllib.loads(to_toml(experiment)))
        if difference is not None:
            raise UsageError(
                f"{self.folder} was made by another experiment ({difference}); "
                "choose another --name, or delete the folder to start anew"
            )

    def _open_episodes(self) -> IO[bytes]:
        file = (self.folder / EPISODES).open("ab+", buffering=0)
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                file.truncate(end_of_last_line(file, size))
        self._sync_folder()
        return file

    def _sync_folder(self) -> None:
        """Make the names of new files as durable as their content."""
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def append(self, lines: bytes) -> None:
        """Add lines of episodes, whole and durable when this returns. Blocks: call it from a thread.

        Raises `RunInterrupted` when it cannot be written. Nothing more is taken then: it could follow a torn line.
        """
        path = self.folder / EPISODES
        if self._failed is not None:
            raise RunInterrupted(self._failed)
        size = self._file.seek(0, os.SEEK_END)
        rest = memoryview(lines)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            self._failed = f"{path} cannot be written: {error.strerror}; make room, and the same command goes on"
            with contextlib.suppress(OSError):
                self._file.truncate(size)
            raise RunInterrupted(self._failed) from error

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file of the run folder, whole."""
        data = msgspec.json.encode(value, enc_hook=str)  # what backends say of themselves may hold odd types
        write_whole(self.folder / name, msgspec.json.format(data, indent=2) + b"\n")

    def close(self) -> None:
        """Give the folder free for other writers."""
        self._file.close()
        self._lock.close()

    def abandon(self) -> None:
        """Take back a folder that this writer made and that holds no episode: a refused run leaves nothing behind."""
        if self.fresh and not self._file.seek(0, os.SEEK_END):
            for name in (EXPERIMENT, MANIFEST, EPISODES, LOCK):
                (self.folder / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # something else lies there
                self.folder.rmdir()


def end_of_last_line(file: IO[bytes], size: int) -> int:
    """Offset after the last newline, searched backwards in blocks."""
    end = size
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
