"""The files of a row: there, no more than they should be, plain, small enough, and as their digests say."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from cornerman.errors import UsageError
from cornerman.store import EPISODES, PACKED, read_json
from cornerman_leaderboards.rows.finding import Finding
from cornerman_leaderboards.rows.submission import DIGESTS, FILES, digest

LARGEST = {PACKED: 512_000_000}
"""Bytes that a file may have; others may have `USUAL`."""
USUAL = 64_000_000


def refuse_strange(folder: Path) -> None:
    """Raise `UsageError` for a folder whose files are links, no files, or too large to be read.

    Nothing of a row is opened before this. Links could lead anywhere, and reading a pipe would never end.
    """
    for name in (*FILES, DIGESTS, EPISODES):
        path = folder / name
        try:
            found = path.lstat()
        except OSError:
            continue
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(f"{path} is no plain file; a row that is to be read has no links")
        most = LARGEST.get(name, USUAL)
        if name != EPISODES and found.st_size > most:
            raise UsageError(
                f"{path} has {found.st_size / 1e6:.0f} MB; what is read of a row has at most {most / 1e6:.0f}"
            )


def is_row(folder: Path) -> bool:
    """Whether a folder is that of a row, not of a run."""
    return (folder / PACKED).exists() and not (folder / EPISODES).exists()


def files(folder: Path) -> Iterator[Finding]:
    """Files that are missing, are none of a row, or have another digest than it says. A run has no digests."""
    if not is_row(folder):
        return
    for path in sorted(folder.iterdir()):
        if path.name not in (*FILES, DIGESTS):
            yield Finding(ascii(path.name)[1:-1], "is no file of a row")
    said = read_json(folder / DIGESTS) if (folder / DIGESTS).exists() else {}
    for name in FILES:
        now = digest(folder / name)
        told = said.get(name) if isinstance(said, dict) else None
        if now is None:
            yield Finding(name, "is missing")
        elif told != now:
            yield Finding(name, f"has SHA-256 {now[:12]}…, {DIGESTS} says {str(told)[:12]}")
