"""A site on disk: whole or not at all, and never over a folder that is no site."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from cornerman.errors import UsageError
from cornerman_leaderboards.tables.cells import clean

MARK = ".cornerman-site"
"""A file that says that a folder is a site and may be replaced by a newer one."""


class Files:
    """The files of a site by their path within it."""

    def __init__(self) -> None:
        self._content: dict[str, bytes] = {MARK: b""}

    def add(self, path: str, content: str | bytes) -> str:
        """Add a file; answers its path."""
        if path in self._content:
            raise ValueError(f"two files of a site at {path}")
        self._content[path] = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
        return path

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(map(len, self._content.values()))

    def write(self, folder: Path) -> None:
        """Write the site to a folder: a new or empty one, or one that holds a site, which it replaces."""
        refuse_others(folder)
        new = folder.with_name(f".{folder.name}.{os.getpid()}.part")
        old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
        try:
            for path, content in self._content.items():
                target = new / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
        except OSError as error:
            if old.exists() and not folder.exists():
                old.rename(folder)
            raise UsageError(clean(f"the site cannot be written to {folder}: {error.strerror}")) from error
        finally:
            shutil.rmtree(new, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)


def refuse_others(folder: Path) -> None:
    """Raise for a folder that holds something else than a site."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(clean(f"{folder} is no folder; name another one with --site"))
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise UsageError(clean(f"{folder} holds something else than a site; name another folder with --site"))
