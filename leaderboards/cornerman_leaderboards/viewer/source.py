"""The episode lines of a run as a file that can be read at any place."""

from __future__ import annotations

import lzma
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO

from cornerman.errors import UsageError
from cornerman.packed import packed_lines
from cornerman.store import EPISODES, PACKED

UNPACKED = 4_000_000_000
"""Bytes that a packed file may come to: a small one could hold any number."""
BLOCK = 1 << 20


def episodes_file(folder: Path) -> Path:
    """The file that holds a run's episodes. Raises `UsageError` where there is none."""
    for name in (EPISODES, PACKED):
        if (folder / name).is_file():
            return folder / name
    raise UsageError(f"{folder} holds no episode: it has no {EPISODES}")


def open_lines(path: Path) -> IO[bytes]:
    """Episode lines, open for reading; those of a submission unpacked into a file that has no name.

    Raises `UsageError` for a file that cannot be read.
    """
    try:
        return unpack(path) if path.name == PACKED else path.open("rb")
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def unpack(path: Path) -> IO[bytes]:
    """A packed file's whole lines in a temporary file, which is gone when it is closed."""
    room = shutil.disk_usage(tempfile.gettempdir()).free
    out = tempfile.TemporaryFile()  # noqa: SIM115 - who asked for it closes it
    try:
        for line in packed_lines(path, whole=min(UNPACKED, room // 2)):
            out.write(line)
    except BaseException:
        out.close()
        raise
    out.flush()
    return out


def size_of(file: IO[bytes]) -> int:
    """Bytes of an open file now; one of a run that is being written grows."""
    return os.fstat(file.fileno()).st_size


def read_at(file: IO[bytes], offset: int, length: int) -> bytes:
    """Bytes at a place. Threads may call it at the same time: it moves no position."""
    parts = []
    while length > 0:
        part = os.pread(file.fileno(), min(length, BLOCK), offset)
        if not part:
            break
        parts.append(part)
        offset, length = offset + len(part), length - len(part)
    return b"".join(parts)
