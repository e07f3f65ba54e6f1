"""Check and unpack one wheel, trusting nothing in it but its digest, and not even that alone."""

from __future__ import annotations

import hashlib
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from cornerman.errors import UsageError

MAX_FILES = 20_000
_CHUNK = 1 << 20
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    FileExistsError,
    NotADirectoryError,
)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, as lower-case hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unpack(wheel: Path, target: Path, limit: int) -> None:
    """Unpack a wheel into the new folder `target`, `limit` bytes of content at most.

    Raises UsageError, possibly with some files written, when the archive is damaged, encrypted or larger than `limit`,
    or when an entry is anything but a plain file or folder that stays within `target` under a name of its own.
    """
    target.mkdir()
    try:
        with zipfile.ZipFile(wheel) as archive:
            entries = archive.infolist()
            _check(entries, limit, wheel.name)
            left = limit
            for entry in entries:
                place = target.joinpath(*PurePosixPath(entry.filename).parts)
                if entry.is_dir():
                    place.mkdir(parents=True, exist_ok=True)
                else:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    left = _copy(archive, entry, place, left)
    except _DAMAGED as error:
        raise UsageError(f"the wheel {wheel.name} is damaged ({error}); remove it and fetch it again.") from error


def _check(entries: list[zipfile.ZipInfo], limit: int, wheel: str) -> None:
    if len(entries) > MAX_FILES:
        raise UsageError(f"the wheel {wheel} holds {len(entries)} files, more than {MAX_FILES}; it was not unpacked.")
    if sum(entry.file_size for entry in entries) > limit:
        raise UsageError(f"the wheel {wheel} would unpack to more than {limit:,} bytes; it was not unpacked.")
    seen: set[str] = set()
    for entry in entries:
        name = entry.filename
        parts = name.rstrip("/").split("/")
        mode = entry.external_attr >> 16
        plain = not stat.S_IFMT(mode) or stat.S_ISREG(mode) or stat.S_ISDIR(mode)
        # Case is folded since two such names are one file on some systems.
        if not plain or any(p in ("", ".", "..") for p in parts) or set(name) & set("\\:\0") or name.casefold() in seen:
            raise UsageError(f"the wheel {wheel} holds the unsafe entry {name!r}; it was not unpacked.")
        seen.add(name.casefold())


def _copy(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: Path, left: int) -> int:
    """Write one entry and return how many bytes may still come; sizes declared in the archive are not believed."""
    with _open(archive, entry) as source, place.open("xb") as copy:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise zipfile.BadZipFile("more content than declared")
            copy.write(chunk)
    return left


def _open(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return archive.open(entry)
    except (OSError, ValueError) as error:  # an offset outside of the file
        raise zipfile.BadZipFile(f"{entry.filename!r} cannot be read: {error}") from error
