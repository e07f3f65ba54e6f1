"""Suites: frozen, hashed lists of tasks together with the rules they are played by."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from cornerman.records import Record, Task


class Rules(Record, frozen=True, kw_only=True):
    """The rules of a suite; part of a board's key, so that no two rows of one table were played by different ones.

    `max_turns` counts decisions (requests to a critic too). An action that the environment does not list as admissible
    is passed to it all the same (`invalid_action = "pass"`, the environment answers, a turn is gone) or ends the
    attempt ("end"). `history_window` is how many past turns the actor is shown, None for all. `requests` caps how
    often an actor may ask a critic in one attempt. `user` is the user plug-in that speaks where an environment talks to
    a user, as NAME[:KEY=VALUE,…].
    """

    max_turns: int = 50
    invalid_action: Literal["pass", "end"] = "pass"
    show_admissible: bool = True
    history_window: int | None = None
    requests: int = 3
    user: str | None = None
    judge: str | None = None


def digest_of(value: object) -> str:
    """SHA-256 of a value's canonical JSON (keys sorted), as 64 hex digits."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


class Suite(Record, frozen=True, kw_only=True):
    """A frozen list of tasks with its rules. Task ids are unique within a suite."""

    name: str
    tasks: tuple[Task, ...]
    rules: Rules = Rules()
    description: str = ""

    @property
    def panel(self) -> str:
        """Digest of the list of tasks, in order."""
        return digest_of(self.tasks)

    @property
    def rules_digest(self) -> str:
        """Digest of the rules, those left at their defaults included: a changed default is another rule."""
        return digest_of(msgspec.structs.asdict(self.rules))

    def head(self, limit: int | None) -> Suite:
        """The suite's first `limit` tasks, under a name that says so; the suite itself when there are no more."""
        if limit is None or limit >= len(self.tasks):
            return self
        return Suite(
            name=f"{self.name}[:{limit}]",
            tasks=self.tasks[:limit],
            rules=self.rules,
            description=self.description,
        )
