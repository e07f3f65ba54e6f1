"""Run folders made by hand: a manifest and episode lines as a run would leave them, with nothing played."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from cornerman.errors import End
from cornerman.records import Attempt, Call, Critique, Episode, LogEntry, Task, Turn, Usage
from cornerman.store import EPISODES, MANIFEST

TASKS = ("t1", "t2", "t3", "t4")


def method(name: str, actor: str = "actor", **facts: Any) -> dict[str, Any]:
    """A method as a manifest describes it. `actor` is its digest too: methods of one actor are compared."""
    described: dict[str, Any] = {
        "method": name,
        "actor": actor,
        "actor_digest": actor,
        "critics": [],
        "memory": None,
        "protocol": "single",
        "models": {},
        "digest": f"digest of {name}",
        "information": ["history"],
        "privileged": False,
    }
    return described | facts


def episode(
    task: str,
    method: str,
    success: bool = False,
    trial: int = 0,
    *,
    actions: Sequence[str] = ("look",),
    critiques: Sequence[Critique] = (),
    calls: Sequence[Call] = (),
    **fields: Any,
) -> Episode:
    """An episode of one attempt: a turn for each action, the critiques in the first of them."""
    turns = tuple(
        Turn(index=i, executed=a, observation=f"after {a}", critiques=tuple(critiques) if i == 0 else ())
        for i, a in enumerate(actions)
    )
    end = End.SUCCESS if success else End.FAILURE
    attempt = Attempt(
        index=0,
        path="0",
        goal="Win.",
        opening="You stand here.",
        turns=turns,
        log=tuple(LogEntry(action=a, hash=f"after {a}") for a in actions),
        end=end,
        success=success,
        score=float(success),
    )
    made: dict[str, Any] = {"attempts": (attempt,), "counted": 0, "end": end, "score": float(success), "seconds": 1.0}
    return Episode(
        task=Task(env="test/Hand-v1", id=task),
        method=method,
        trial=trial,
        seed=0,
        success=success,
        calls=tuple(calls),
        **(made | fields),
    )


def call(role: Any, usage: Usage, ident: int = 0) -> Call:
    """A call of a role that used so much."""
    return Call(id=ident, role=role, plugin=role, purpose="p", kind="generate", model="m", usage=usage)


def wins(method: str, pattern: str, trial: int = 0, **fields: Any) -> list[Episode]:
    """One episode a task, in order: `1` solved, `0` not, `.` missing."""
    return [
        episode(task, method, mark == "1", trial, **fields)
        for task, mark in zip(TASKS, pattern, strict=True)
        if mark != "."
    ]


def write_run(
    folder: Path,
    methods: Sequence[dict[str, Any]],
    episodes: Sequence[Episode],
    *,
    tasks: Sequence[str] = TASKS,
    suite: str = "hand",
    panel: str = "",
    rules: dict[str, Any] | None = None,
    **manifest: Any,
) -> Path:
    """A run folder. The panel's digest is its name and tasks, the rules' digest the rules themselves."""
    folder.mkdir(parents=True)
    played_by = rules or {"max_turns": 50}
    about: dict[str, Any] = {
        "cornerman": "0.1.0",
        "experiment": folder.name,
        "trials": 1,
        "baseline": methods[0]["method"],
        "family": "holm",
        "seed": 0,
        "suite": {
            "name": suite,
            "panel": panel or f"panel {suite} {len(tasks)}",
            "rules": json.dumps(played_by),
            "rules_in_full": played_by,
            "tasks": list(tasks),
        },
        "methods": list(methods),
        "environments": {"test/Hand-v1": {"engine": "1"}},
    }
    (folder / MANIFEST).write_text(json.dumps(about | manifest), encoding="utf-8")
    (folder / EPISODES).write_bytes(b"".join(msgspec.json.encode(e) + b"\n" for e in episodes))
    return folder
