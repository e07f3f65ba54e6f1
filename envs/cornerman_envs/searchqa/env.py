"""Plays one question as an environment of Cornerman."""

from __future__ import annotations

import importlib.util
from typing import Any

import gymnasium

from cornerman.environment import Info, TextEnv
from cornerman.errors import EnvError, MissingExtra
from cornerman.records import Task

from . import calls, metrics
from .calls import Answer, BadCall, Search
from .index import Document
from .questions import Collection

MAX_SHOWN = 2_000
"""Characters of a document that a search shows."""

POLICY = (
    "Search the documents, then answer from what they say. Every action is one JSON object that calls a tool: "
    f"{calls.FORM}. Answer in as few words as possible. The first answer counts and ends the episode."
)
RECORDED = "Your answer has been recorded. The episode is over."
"""The answer to every answer, right or wrong, so that the transcript does not tell which it was."""


class SearchQAEnv(TextEnv):
    """One question over one corpus.

    The score is the F1 of the answer and success is exact match (see `metrics`); both are 0 before the answer, which
    ends the episode. Calls that cannot be read cost a turn and change nothing. A seed given to `reset` changes nothing.
    `task.data`, where set, is the digest of the collection: another one is refused with EnvError.
    """

    def __init__(self, task: Task, collection: Collection) -> None:
        super().__init__()
        if importlib.util.find_spec("bm25s") is None:
            raise MissingExtra(f"environment '{task.env}'", "search")
        if task.data is not None and task.data != collection.digest:
            raise EnvError(
                f"the data found here is not that of task {task.id} (digest {collection.digest[:12]}, expected "
                f"{task.data[:12]}); use the data that the task was made from"
            )
        self.question = collection.find(task.split, task.id)
        self._index = collection.index
        self._seen: set[str] | None = None
        self._observation, self._score, self._success, self._ended = "", 0.0, False, False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Ask the question. No options are known."""
        gymnasium.Env.reset(self, seed=seed)
        self._seen, self._score, self._success, self._ended = set(), 0.0, False, False
        self._observation = f"Question: {self.question.question}"
        return self._observation, self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Execute one tool call."""
        seen, before = self._opened(), self._score
        if self._ended:
            return RECORDED, 0.0, True, False, self._info()
        try:
            call = calls.parse(action)
        except BadCall as error:
            self._observation = str(error)
        else:
            self._observation = self._search(call, seen) if isinstance(call, Search) else self._answer(call)
        return self._observation, self._score - before, self._ended, False, self._info()

    def gold(self) -> list[str] | None:
        """Searches for the needed documents not yet found, then the answer; [] once won, None once lost."""
        seen = self._opened()
        if self._ended:
            return [] if self._success else None
        plan = zip(self.question.documents, self.question.queries, strict=True)
        searches = [calls.search(query) for title, query in plan if title not in seen]
        return [*searches, calls.answer(self.question.answers[0])]

    def facts(self) -> dict[str, Any]:
        """The accepted answers, the titles of the documents that hold them, and which of those were found."""
        seen = self._opened()
        needed = list(self.question.documents)
        return {
            "answers": list(self.question.answers),
            "documents": needed,
            "found": [title for title in needed if title in seen],
        }

    def snapshot(self) -> dict[str, Any]:
        """What `restore` needs."""
        return {
            "seen": sorted(self._opened()),
            "observation": self._observation,
            "score": self._score,
            "success": self._success,
            "ended": self._ended,
        }

    def restore(self, snapshot: Any) -> tuple[str, Info]:
        """Return to a snapshot of the same question."""
        self._seen = set(snapshot["seen"])
        self._observation, self._score = snapshot["observation"], snapshot["score"]
        self._success, self._ended = snapshot["success"], snapshot["ended"]
        return self._observation, self._info()

    def _search(self, call: Search, seen: set[str]) -> str:
        found = self._index.search(call.query, call.k)
        seen.update(document.title for document in found)
        if not found:
            return "No document has any of these words."
        return "\n\n".join(_shown(number, document) for number, document in enumerate(found, 1))

    def _answer(self, call: Answer) -> str:
        self._score = metrics.f1(call.text, self.question.answers)
        self._success = metrics.exact_match(call.text, self.question.answers)
        self._ended = True
        return RECORDED

    def _opened(self) -> set[str]:
        if self._seen is None:
            raise gymnasium.error.ResetNeeded("call reset first")
        return self._seen

    def _info(self) -> Info:
        return {
            "goal": self.question.question,
            "success": self._success,
            "score": self._score,
            "policy": POLICY,
            "tools": calls.schemas(),
        }


def _shown(number: int, document: Document) -> str:
    text = document.text if len(document.text) <= MAX_SHOWN else document.text[:MAX_SHOWN] + " […]"
    return f"[{number}] {document.title}\n{text}"
