"""Run folders: what a run leaves behind, and how a killed one goes on.

    experiment.toml    the resolved experiment
    manifest.json      versions, plug-ins, digests, hardware
    episodes.jsonl     one line an episode, whole or not at all, fsynced; append only
    episodes.parquet   the same, compacted at the end (see `cornerman.parquet`)
    summary.json       what tables read; can always be rebuilt from the episodes

A kill at any moment loses at most the episodes in flight: a torn last line is cut when the folder is next opened for
writing, and the last line of a (task, method, trial) wins.
"""

from __future__ import annotations

import fcntl
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from cornerman.errors import UsageError
from cornerman.experiment import Experiment, drift, parse, to_toml
from cornerman.records import SCHEMA, Episode

EPISODES, EXPERIMENT, MANIFEST, SUMMARY = "episodes.jsonl", "experiment.toml", "manifest.json", "summary.json"
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Episode)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader, or a kill, sees the old content or the new one and nothing between."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def decode_episode(line: bytes, path: Path, number: int) -> Episode:
    """An episode from its line; a line that is none is one sentence with its place."""
    try:
        episode = _decoder.decode(line)
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} line {number} is no episode record: {error}") from error
    if episode.schema > SCHEMA:
        raise UsageError(f"{path} was written by a newer Cornerman (record schema {episode.schema}, known: {SCHEMA})")
    return episode


def iterate(folder: Path) -> Iterator[Episode]:
    """The whole lines of a run's episodes, in the order written. A torn last line is left out."""
    path = folder / EPISODES
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            if line.strip():
                yield decode_episode(line, path, number)


def latest(folder: Path) -> dict[tuple[str, str, int], Episode]:
    """The last record of every (task, method, trial)."""
    return {episode.key: episode for episode in iterate(folder)}


def read_experiment(folder: Path) -> Experiment:
    """The experiment that a run folder was made for."""
    path = folder / EXPERIMENT
    if not path.is_file():
        raise UsageError(f"{folder} is no run folder: it has no {EXPERIMENT}")
    return parse(path.read_text(encoding="utf-8"), folder.name, str(path))


def read_json(path: Path) -> Any:
    """A JSON file of a run folder."""
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} is not valid JSON: {error}") from error


class Writer:
    """A run folder open for writing, by one process at a time."""

    def __init__(self, folder: Path, experiment: Experiment) -> None:
        """Make the folder or open it again; refuses one made for another experiment and says which key differs."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = self._take_lock(folder)
        try:
            self._check(experiment)
            self._file = self._open_episodes()
        except BaseException:
            self._lock.close()
            raise

    @staticmethod
    def _take_lock(folder: Path) -> IO[bytes]:
        lock = (folder / ".lock").open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise UsageError(f"another process is writing to {folder}; wait for it or choose another --name") from None
        return lock

    def _check(self, experiment: Experiment) -> None:
        path = self.folder / EXPERIMENT
        if not path.exists():
            if (self.folder / EPISODES).exists():
                raise UsageError(f"{self.folder} holds episodes but no {EXPERIMENT}; choose another --name")
            write_whole(path, to_toml(experiment).encode())
            return
        try:
            recorded = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is damaged: {error}") from error
        difference = drift(recorded, tomllib.loads(to_toml(experiment)))
        if difference is not None:
            raise UsageError(
                f"{self.folder} was made by another experiment ({difference}); "
                "choose another --name, or delete the folder to start anew"
            )

    def _open_episodes(self) -> IO[bytes]:
        path = self.folder / EPISODES
        file = path.open("ab+")
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                file.truncate(_end_of_last_line(file, size))
        file.seek(0, os.SEEK_END)
        return file

    def append(self, episode: Episode) -> None:
        """Add one episode, durable when this returns. Blocks: call it from a thread."""
        self._file.write(_encoder.encode(episode) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file of the run folder, whole."""
        write_whole(self.folder / name, msgspec.json.format(_encoder.encode(value), indent=2) + b"\n")

    def close(self) -> None:
        """Give the folder free for other writers."""
        self._file.close()
        self._lock.close()


def _end_of_last_line(file: IO[bytes], size: int) -> int:
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
