"""Question files and corpora as they are published, read into ours.

Questions, as a JSON list or as JSON lines:

* HotpotQA (Yang et al. 2018) and 2WikiMultihopQA (Ho et al. 2020): `_id`, `question`, `answer`, `type`,
  `supporting_facts` as [title, sentence] and `context` as [title, sentences];
* MuSiQue (Trivedi et al. 2022): `id`, `question`, `answer`, `answer_aliases`, `paragraphs`; questions marked as not
  answerable are left out;
* plain ones: `id`, `question` and `answer`, or `golden_answers` with several.

A corpus is a list or lines of `title` and `text`.
"""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from cornerman.errors import UsageError

from .index import Document
from .questions import Question

ENDINGS = tuple(f"{kind}{packing}" for kind in (".json", ".jsonl") for packing in ("", ".gz", ".xz"))
_OPENERS: dict[str, Any] = {".gz": gzip.decompress, ".xz": lzma.decompress}
Row = TypeVar("Row")


class Paragraph(msgspec.Struct, frozen=True):
    """A paragraph of MuSiQue."""

    title: str
    paragraph_text: str
    is_supporting: bool = False


class Published(msgspec.Struct, frozen=True, rename={"other_id": "_id"}):
    """A question as published; fields that other formats have are empty."""

    question: str
    answer: str | None = None
    id: str | None = None
    other_id: str | None = None
    type: str = ""
    golden_answers: tuple[str, ...] = ()
    answer_aliases: tuple[str, ...] = ()
    answerable: bool = True
    supporting_facts: tuple[tuple[str, int], ...] = ()
    context: tuple[tuple[str, tuple[str, ...]], ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()


def questions(file: Path) -> tuple[list[Question], list[Document]]:
    """The questions of a file, and the documents that come with them.

    The titles of supporting facts are the needed documents and their own gold queries. Raises UsageError for a file
    that cannot be read, a question without an answer and an id that stands there twice.
    """
    made, documents = {}, {}
    for number, row in enumerate(_rows(file, Published), 1):
        found = _documents(row)
        documents.update(dict.fromkeys(found))
        if not row.answerable:
            continue
        name = row.id or row.other_id or f"{file.name.partition('.')[0]}-{number}"
        if name in made:
            raise UsageError(f"{file}: the id '{name}' stands there twice; ids must be unique")
        made[name] = _question(row, name, file)
    return list(made.values()), list(documents)


def corpus(file: Path) -> list[Document]:
    """The documents of a corpus file. Raises UsageError when it cannot be read."""
    return _rows(file, Document)


def _question(row: Published, name: str, file: Path) -> Question:
    first = () if row.answer is None else (row.answer,)
    answers = tuple(dict.fromkeys((*first, *row.golden_answers, *row.answer_aliases)))
    if not any(answers):
        raise UsageError(f"{file}: question '{name}' has no answer; only questions with answers can be played")
    supporting = [title for title, _ in row.supporting_facts]
    supporting += [paragraph.title for paragraph in row.paragraphs if paragraph.is_supporting]
    titles = tuple(dict.fromkeys(supporting))
    return Question(name, row.question, answers, row.type, titles, titles)


def _documents(row: Published) -> list[Document]:
    made = [Document(title, "".join(sentences).strip()) for title, sentences in row.context]
    return made + [Document(paragraph.title, paragraph.paragraph_text) for paragraph in row.paragraphs]


def _rows(file: Path, kind: type[Row]) -> list[Row]:
    try:
        content = file.read_bytes()
        content = _OPENERS.get(file.suffix, bytes)(content)
        if ".jsonl" in file.suffixes:
            return msgspec.json.Decoder(kind).decode_lines(content)
        return msgspec.json.decode(content, type=list[kind])  # type: ignore[valid-type]
    except (OSError, EOFError, lzma.LZMAError, msgspec.MsgspecError) as error:
        raise UsageError(f"{file} cannot be read: {error}; the page on environments tells what it must hold") from None
