"""A question with all that is known about it."""

from __future__ import annotations

import msgspec

from cornerman.errors import EnvError, did_you_mean

from .index import Index


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question.

    `answers` are all accepted ones, the first is gold. `documents` are the titles of the documents that hold what is
    needed, in the order of reasoning, and `queries` finds them, one each. `family` is a kind with its number of
    documents, as `bridge-3`.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    family: str = ""
    documents: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()


class Collection(msgspec.Struct, frozen=True):
    """A corpus with the questions of each split, by id in their order, and the digest of what it was read from."""

    index: Index
    splits: dict[str, dict[str, Question]]
    digest: str

    def find(self, split: str, name: str) -> Question:
        """The question of that id. Raises EnvError when there is none."""
        questions = self.splits.get(split, {})
        if name not in questions:
            raise EnvError(f"there is no question '{name}' in split '{split}'; {did_you_mean(name, questions)}")
        return questions[name]
