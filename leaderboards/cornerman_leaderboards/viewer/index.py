"""Where each episode of a run stands in its file, and the few facts by which episodes are chosen."""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from cornerman.errors import POLICY, End, UsageError
from cornerman.packed import LONGEST
from cornerman.records import Episode
from cornerman.store import decode_episode
from cornerman_leaderboards.viewer.source import BLOCK, episodes_file, open_lines, read_at, size_of

Outcome = Literal["solved", "unsolved", "error"]
OUTCOMES: tuple[Outcome, ...] = ("solved", "unsolved", "error")
PAGE = 100
"""Episodes on a page."""


class _Task(msgspec.Struct):
    id: str


class _Facts(msgspec.Struct):
    """What of a line is kept."""

    task: _Task
    method: str
    trial: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
    success: bool = False
    end: End = End.FAILURE


_decoder = msgspec.json.Decoder(_Facts)


class Names:
    """Names by number, in the order in which they were first seen."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """The number of a name, a new one where it is new."""
        found = self._numbers.setdefault(name, len(self.all))
        if found == len(self.all):
            self.all.append(name)
        return found

    def find(self, name: str) -> int:
        """The number of a name, −1 where there is none."""
        return self._numbers.get(name, -1)


class Entry(NamedTuple):
    """An episode of a list. `number`: its place, from 1, in the order first recorded, as in `cornerman show`."""

    number: int
    task: str
    method: str
    trial: int
    outcome: Outcome


class Selection(NamedTuple):
    """A page of the episodes that were asked for, sorted by task, and how many there are in all."""

    entries: list[Entry]
    total: int
    page: int
    pages: int


@dataclass(frozen=True)
class Wanted:
    """Which episodes: of a method, of tasks whose ids hold a text whatever its case, with an outcome."""

    method: str | None = None
    task: str = ""
    outcome: Outcome | None = None


class Index:
    """The episodes of one run. It reads on as the file grows; the last line of a (task, method, trial) is the episode.

    It holds their places and these facts, and no episode.
    """

    def __init__(self, folder: Path) -> None:
        """Raises `UsageError` for a folder without episodes."""
        self.folder = folder
        self.tasks, self.methods = Names(), Names()
        self._path = episodes_file(folder)
        self._stat = self._path.stat()
        self._file: IO[bytes] = open_lines(self._path)
        self._lock = threading.Lock()
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._offsets, self._lengths = array("q"), array("q")
        self._task, self._method, self._trial = array("i"), array("i"), array("q")
        self._outcome = array("b")
        self._read = self._lines = 0

    def __len__(self) -> int:
        return len(self._offsets)

    @property
    def progress(self) -> float:
        """The share of the file that has been read."""
        size = size_of(self._file)
        return self._read / size if size else 1.0

    def replaced(self) -> bool:
        """Whether another file stands in the place of the one that was read, as after a run that began anew."""
        try:
            now, then = self._path.stat(), self._stat
        except OSError:
            return True
        return (now.st_ino, now.st_dev) != (then.st_ino, then.st_dev) or now.st_size < then.st_size

    def advance(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> bool:
        """Read on for about so long; answers whether there is more to read. A torn last line is left for later."""
        until = clock() + seconds
        while True:
            with self._lock:
                block = self._block()
                for line in block:
                    self._add(line)
            if not block:
                return False
            if clock() >= until:
                return True

    def _block(self) -> list[bytes]:
        """The next whole lines, about a block of them."""
        length = BLOCK
        while True:
            data = read_at(self._file, self._read, length)
            end = data.rfind(b"\n") + 1
            if end or len(data) < length or length > LONGEST:
                return data[: end - 1].split(b"\n") if end else []
            length *= 4

    def _add(self, line: bytes) -> None:
        try:
            facts = _decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"{self._path} line {self._lines + 1} is no episode record: {error}") from error
        task, method = self.tasks.number(facts.task.id), self.methods.number(facts.method)
        outcome = "solved" if facts.success else "error" if POLICY[facts.end].error else "unsolved"
        at = self._numbers.setdefault((task, method, facts.trial), len(self._offsets))
        columns = (self._offsets, self._lengths, self._task, self._method, self._trial, self._outcome)
        row = (self._read, len(line) + 1, task, method, facts.trial, OUTCOMES.index(outcome))
        for column, value in zip(columns, row, strict=True):
            if at == len(column):
                column.append(value)
            else:
                column[at] = value
        self._read += len(line) + 1
        self._lines += 1

    def select(self, wanted: Wanted, page: int = 1) -> Selection:
        """A page of episodes, the tasks in the order in which they were first played. Pages count from 1."""
        with self._lock:
            task, method, outcome = (np.array(c) for c in (self._task, self._method, self._outcome))
            trial = np.array(self._trial)
        chosen = np.ones(len(task), dtype=bool)
        if wanted.method is not None:
            chosen &= method == self.methods.find(wanted.method)
        if wanted.task:
            text = wanted.task.casefold()
            named = [i for i, name in enumerate(self.tasks.all) if text in name.casefold()]
            chosen &= np.isin(task, named)
        if wanted.outcome is not None:
            chosen &= outcome == OUTCOMES.index(wanted.outcome)
        [found] = np.nonzero(chosen)
        found = found[np.lexsort((trial[found], method[found], task[found]))]
        pages = max(1, -(-len(found) // PAGE))
        page = min(max(1, page), pages)
        return Selection(self._entries(found[(page - 1) * PAGE : page * PAGE]), len(found), page, pages)

    def _entries(self, at: npt.NDArray[np.int64]) -> list[Entry]:
        return [
            Entry(
                int(i) + 1,
                self.tasks.all[self._task[i]],
                self.methods.all[self._method[i]],
                self._trial[i],
                OUTCOMES[self._outcome[i]],
            )
            for i in at
        ]

    def episode(self, number: int) -> Episode | None:
        """An episode by its number, read from the file; None where there is none of it."""
        if not 1 <= number <= len(self):
            return None
        with self._lock:
            offset, length = self._offsets[number - 1], self._lengths[number - 1]
        return decode_episode(read_at(self._file, offset, length), self._path, number)

    def of_task(self, task: str) -> list[Entry]:
        """The episodes of one task, by method and trial."""
        with self._lock:
            [found] = np.nonzero(np.array(self._task) == self.tasks.find(task))
        return sorted(self._entries(found), key=lambda e: (self.methods.find(e.method), e.trial))
