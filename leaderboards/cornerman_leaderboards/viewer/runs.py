"""The runs that the viewer shows: one, or all below a folder. A name in an address is looked up and opens no path."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cornerman.errors import UsageError
from cornerman.recorded import Manifest, read_manifest
from cornerman.store import EPISODES, PACKED
from cornerman.worth.forks import FORKS, Forked, settled_forks
from cornerman_leaderboards.viewer.index import Index
from cornerman_leaderboards.viewer.source import episodes_file

OPEN = 8
"""Runs whose indexes are held at once."""
FIRST = 0.15
"""Seconds that a page waits for the index of a long run; a thread reads on."""


@dataclass(frozen=True)
class Listed:
    """A run in the list of runs; `problem` says why there is no more to say."""

    name: str
    manifest: Manifest | None
    size: int
    problem: str | None


class Runs:
    """Run folders by name. Threads share it."""

    def __init__(self, folders: Mapping[str, Path] | None = None, below: Path | None = None) -> None:
        """Those given, or those that lie in a folder at the moment of asking."""
        self._given, self._below = dict(folders or {}), below
        self.single = below is None
        self._open: OrderedDict[str, Index] = OrderedDict()
        self._forks: dict[str, tuple[int, list[Forked]]] = {}
        self._lock = threading.Lock()

    def folders(self) -> dict[str, Path]:
        """All run folders by name, the one written to last first. Raises `UsageError` where they cannot be read."""
        if self._below is None:
            return self._given
        try:
            found = [f for f in self._below.iterdir() if is_run(f)]
            return {f.name: f for f in sorted(found, key=lambda f: (-episodes_file(f).stat().st_mtime, f.name))}
        except OSError as error:
            raise UsageError(f"{self._below} cannot be read: {error.strerror}; load the page again") from error

    def folder(self, name: str) -> Path | None:
        """The folder of a run; None for a name that is none of them."""
        return self.folders().get(name)

    def listed(self) -> list[Listed]:
        """Every run with what its manifest says."""
        return [listed(name, folder) for name, folder in self.folders().items()]

    def index(self, name: str) -> Index | None:
        """The index of a run, read up to now or, for a long one, for a moment; a thread reads the rest."""
        folder = self.folder(name)
        if folder is None:
            return None
        with self._lock:
            held = self._open.get(name)
        fresh = held is None or held.replaced()
        # Outside the lock: unpacking takes long, and other runs are asked for meanwhile. A page may still read an old
        # index; its file closes when the last one has done.
        index = Index(folder) if held is None or fresh else held
        with self._lock:
            now = self._open.get(name)
            index = index if now is None or now is held else now
            self._open[name] = index
            self._open.move_to_end(name)
            while len(self._open) > OPEN:
                self._open.popitem(last=False)
        if index.advance(FIRST) and fresh:
            threading.Thread(target=read_on, args=[index], daemon=True).start()
        return index

    def forks(self, name: str) -> list[Forked]:
        """The forks of a run that `cornerman worth` has played; read again when there are more."""
        folder = self.folder(name)
        if folder is None or not (folder / FORKS).is_file():
            return []
        stamp = (folder / FORKS).stat().st_mtime_ns
        with self._lock:
            held = self._forks.get(name)
            if held is None or held[0] != stamp:
                held = self._forks[name] = (stamp, list(settled_forks(folder).values()))
        return held[1]

    def manifest(self, name: str) -> Manifest | None:
        """A run's manifest, where it has one that can be read."""
        folder = self.folder(name)
        with contextlib.suppress(UsageError):
            return None if folder is None else read_manifest(folder)
        return None


def read_on(index: Index) -> None:
    """Read an index to its end, a moment at a time, so that pages are answered in between."""
    with contextlib.suppress(UsageError, ValueError):  # a page says it; or the file was closed
        while index.advance(0.05):
            pass


def is_run(folder: Path) -> bool:
    """Whether a folder holds episodes."""
    return any((folder / name).is_file() for name in (EPISODES, PACKED))


def listed(name: str, folder: Path) -> Listed:
    """A run as the list shows it."""
    size = episodes_file(folder).stat().st_size
    try:
        return Listed(name, read_manifest(folder), size, None)
    except UsageError as error:
        return Listed(name, None, size, str(error))
