"""The corpus and questions that come with the package: `atlas.json.xz`, made by `making`, described in DATA.md."""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
import lzma

import msgspec

from .index import Document, Index
from .questions import Collection, Question


class Atlas(msgspec.Struct, frozen=True, kw_only=True):
    """What the file holds. `sources` are the versions of the packages that the facts come from."""

    sources: dict[str, str]
    documents: list[Document]
    questions: dict[str, list[Question]]


def read() -> Atlas:
    """The file as it is."""
    return msgspec.json.decode(_content(), type=Atlas)


def _content() -> bytes:
    return lzma.decompress(importlib.resources.files(__package__).joinpath("atlas.json.xz").read_bytes())


@functools.cache
def collection() -> Collection:
    """The same, ready to play; one for the whole process, as nothing in it changes."""
    atlas = read()
    splits = {name: {q.id: q for q in questions} for name, questions in atlas.questions.items()}
    return Collection(Index(atlas.documents), splits, hashlib.sha256(_content()).hexdigest())
