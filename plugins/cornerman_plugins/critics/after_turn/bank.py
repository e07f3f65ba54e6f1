"""A bank of experience: topics with triplets of what was done, what was wrong with it, and what to do instead."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from cornerman.errors import UsageError
from cornerman.records import Record

SHIPPED = Path(__file__).with_name("bank.toml")


class Triplet(Record, frozen=True, kw_only=True):
    """One experience."""

    behaviour: str
    mistake: str
    guidance: str

    def __str__(self) -> str:
        return f"- Behaviour: {self.behaviour}\n  Mistake: {self.mistake}\n  Guidance: {self.guidance}"


class Topic(Record, frozen=True, kw_only=True):
    """Experiences of a kind. The name is what a model chooses by."""

    name: str
    triplet: Annotated[tuple[Triplet, ...], msgspec.Meta(min_length=1)]


class Bank(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All topics."""

    topic: Annotated[tuple[Topic, ...], msgspec.Meta(min_length=1)]


def bank(path: str | None) -> dict[str, Topic]:
    """The topics of a TOML file by name, in its order; of the one that comes with Cornerman where none is given."""
    file = Path(path) if path else SHIPPED
    try:
        found = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), Bank)
    except OSError as error:
        raise UsageError(f"the bank {file} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(
            f"{file} is no bank: {error}; it has tables [[topic]] with a name, and in each of them tables "
            "[[topic.triplet]] with behaviour, mistake and guidance"
        ) from error
    topics = {" ".join(t.name.split()): t for t in found.topic}
    if len({name.casefold() for name in topics}) < len(found.topic) or not all(topics):
        raise UsageError(f"{file}: every topic of a bank has a name of its own")
    return topics
