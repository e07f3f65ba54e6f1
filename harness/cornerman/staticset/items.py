"""The file of a static set: a header and one line an item, self-contained but for the environment."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from cornerman.errors import UsageError
from cornerman.records import LogEntry, Record, Task
from cornerman.store import write_whole
from cornerman.worth.seen import Label

SCHEMA = 1
Kind = Literal["own", "gold", "corrupted"]
"""own: what the recorded actor offered first. gold: what gold does here. corrupted: another that gold calls wrong."""


class Header(Record, frozen=True, kw_only=True):
    """How a set was made.

    `panel` and `rules` are of the suite; `seed` is that of the draw. Of `states` different recorded ones `moments` were
    drawn; at `unlabelled` more gold had no answer, and at `uncorrupted` of the drawn no wrong candidate was found.
    """

    schema: int = SCHEMA
    suite: str
    panel: str
    rules: dict[str, Any]
    run: str
    method: str
    seed: int
    draw: str
    states: int
    moments: int
    unlabelled: int
    uncorrupted: int


class Item(Record, frozen=True, kw_only=True):
    """One candidate at one state, with gold's label.

    The state is the task after `prefix`, played from reset: every action with the hash of the observation after it.
    `opening_hash` and `opening_replies` are those before the first. `seen` is the label by what was seen, None where
    the environment knows of no states that fit it. `suggestion` is gold's own action there. `changes_state` says
    whether executing the candidate changes what is behind the observation; None where the environment does not tell.
    """

    id: int
    task: Task
    trial: int
    attempt: int
    turn: int
    opening_hash: str
    opening_replies: tuple[str, ...] = ()
    prefix: tuple[LogEntry, ...] = ()
    candidate: str
    kind: Kind
    label: Label
    seen: Label | None = None
    suggestion: str
    changes_state: bool | None = None


class StaticSet(Record, frozen=True, kw_only=True):
    """A set as read, with the SHA-256 of its file."""

    header: Header
    items: tuple[Item, ...]
    digest: str


def write_set(path: Path, header: Header, items: Sequence[Item]) -> str:
    """Write a set, whole or not at all; answers its digest."""
    data = b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *items))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    return hashlib.sha256(data).hexdigest()


def read_set(path: Path) -> StaticSet:
    """A set from its file. Raises `UsageError` that names the line which is none of a set's."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    first, *rest = data.split(b"\n")
    number = 1
    try:
        header = msgspec.json.decode(first, type=Header)
        if header.schema != SCHEMA:
            raise UsageError(f"{path} is of schema {header.schema}, and {SCHEMA} is known here; make it anew")
        items = []
        for line in rest[:-1]:
            number += 1
            items.append(msgspec.json.decode(line, type=Item))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} line {number} is none of a static set: {error}") from error
    if rest[-1:] != [b""]:
        raise UsageError(f"{path} ends within a line; make it anew")
    if not items:
        raise UsageError(f"{path} holds no item")
    return StaticSet(header=header, items=tuple(items), digest=hashlib.sha256(data).hexdigest())
