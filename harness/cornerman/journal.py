"""Lines on their way to disk, many with one sync."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol


class File(Protocol):
    """Takes lines that are durable when `append` returns."""

    def append(self, lines: bytes) -> None:
        """Add lines. Blocks."""
        ...


@dataclass
class Entry:
    """One line, and whether it is on disk."""

    line: bytes
    written: bool = False


class Journal:
    """Writes lines in the order in which they come; those that come while a write is under way share the next one.

    Syncing a file takes milliseconds, in which many short episodes may end.
    """

    def __init__(self, writer: File) -> None:
        self._writer = writer
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="cornerman-disk")
        self._waiting: list[Entry] = []
        self._writing = asyncio.Lock()

    async def write(self, line: bytes) -> None:
        """Add a line; it is durable when this returns. Raises `RunInterrupted` when it cannot be written."""
        entry = Entry(line)
        self._waiting.append(entry)
        async with self._writing:
            if entry.written:
                return
            batch, self._waiting = self._waiting, []
            lines = b"".join(e.line for e in batch)
            await asyncio.get_running_loop().run_in_executor(self._disk, self._writer.append, lines)
            for one in batch:
                one.written = True

    def close(self) -> None:
        """End the thread; every line must have been awaited."""
        self._disk.shutdown(wait=True)
