"""A memory as a file: its entries and the tasks that they were learned on, to ship and to start from."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from cornerman.engine.context import MemoryItem
from cornerman.errors import UsageError
from cornerman.records import Record

SCHEMA = 1
MOST_BYTES = 64_000_000


class ShippedMemory(Record, frozen=True, kw_only=True):
    """What a file holds. `tasks` are the ids of the tasks that were played, so that a test on them can be noticed."""

    schema: int = SCHEMA
    memory: str
    run: str
    tasks: tuple[str, ...]
    items: tuple[MemoryItem, ...]


def read_memory(path: Path) -> ShippedMemory:
    """A memory file; what is none, or a huge one, is one sentence."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path} is larger than the {MOST_BYTES // 10**6} MB that a memory file may have")
        found = msgspec.json.decode(path.read_bytes(), type=ShippedMemory)
    except OSError as error:
        raise UsageError(f"memory source {path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"memory source {path} is no memory file of Cornerman: {error}") from error
    if found.schema != SCHEMA:
        raise UsageError(f"memory source {path} has schema {found.schema}; this version reads {SCHEMA}")
    if len({item.id for item in found.items}) < len(found.items):
        raise UsageError(f"memory source {path} has two entries with one id")
    odd = next((item.id for item in found.items if not 0 <= item.uses < 2**31), None)
    if odd is not None:
        raise UsageError(f"memory source {path}: the entry {odd!r} has an impossible number of uses")
    return found


def write_memory(path: Path, memory: ShippedMemory) -> None:
    """Write it whole or not at all; an existing file is not written over."""
    if path.exists():
        raise UsageError(f"{path} exists; choose another --out, or delete it first")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(msgspec.json.format(msgspec.json.encode(memory), indent=1) + b"\n")
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
