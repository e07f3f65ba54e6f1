"""A user's own questions and corpus, in the folder that SEARCHQA_DATA names.

    train.json, dev.json, test.json    the questions of each split; any of them may be missing
    corpus.json                        the documents; without it those that come with the questions of all splits

Each may be .json or .jsonl, and packed as .gz or .xz; `formats` reads them.
"""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

from cornerman.errors import UsageError

from . import formats
from .index import Document, Index
from .questions import Collection

SPLITS = ("train", "dev", "test")
VARIABLE = "SEARCHQA_DATA"


def data_folder() -> Path:
    """The folder that SEARCHQA_DATA names. Raises UsageError when it names none."""
    value = os.environ.get(VARIABLE, "")
    advice = "set it to a folder with dev.json or test.json and, if you have one, corpus.json"
    if not value:
        raise UsageError(f"{VARIABLE} is not set; {advice}")
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise UsageError(f"{VARIABLE} is {value}, which is no folder; {advice}")
    return folder


@functools.lru_cache(maxsize=2)
def collection(folder: Path) -> Collection:
    """All that a folder holds; read once. Raises UsageError for what cannot be read, or when there is no document."""
    splits, documents, digest = {}, dict[Document, None](), hashlib.sha256()
    for split in SPLITS:
        file = _file(folder, split)
        if file is not None:
            made, own = formats.questions(file)
            splits[split] = {question.id: question for question in made}
            documents.update(dict.fromkeys(own))
            digest.update(file.read_bytes())
    file = _file(folder, "corpus")
    if file is not None:
        documents = dict.fromkeys(formats.corpus(file))
        digest.update(file.read_bytes())
    if not splits or not documents:
        raise UsageError(
            f"{VARIABLE} is {folder}, which holds {'no documents' if splits else 'no questions'}; "
            f"put {'corpus.json' if splits else 'dev.json or test.json'} there"
        )
    return Collection(Index(list(documents)), splits, digest.hexdigest())


def _file(folder: Path, name: str) -> Path | None:
    found = [file for ending in formats.ENDINGS if (file := folder / f"{name}{ending}").is_file()]
    if len(found) > 1:
        raise UsageError(f"{folder} holds both {found[0].name} and {found[1].name}; leave one of them there")
    return found[0] if found else None
