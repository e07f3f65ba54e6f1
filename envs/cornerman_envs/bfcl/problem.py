"""One conversation: what the user says turn by turn, the tools on offer and the calls of the answer."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from cornerman.errors import UsageError
from cornerman.records import Task
from cornerman_envs.bfcl.backends import Backends
from cornerman_envs.bfcl.calls import Call, read_answer
from cornerman_envs.bfcl.wheel import entry, tools_of, wheel


@dataclass(frozen=True)
class Problem:
    """A task of the wheel, read.

    `messages`, `answers` and `tools` have one item for each of the user's turns. An answer without calls belongs to a
    turn in which a tool or a detail is missing.
    """

    involved: tuple[str, ...]
    config: dict[str, Any]
    long_context: bool
    messages: tuple[str, ...]
    answers: tuple[tuple[Call, ...], ...]
    tools: tuple[list[dict[str, Any]], ...]

    def backends(self) -> Backends:
        """Fresh backends in their initial state."""
        return Backends(self.involved, self.config, self.long_context)


def digest_of(name: str) -> str:
    """SHA-256 of the lines of a task and its answer."""
    return hashlib.sha256("\n".join(entry(name)).encode()).hexdigest()


def problem_of(task: Task) -> Problem:
    """The problem that a task's setting `entry` names; its own copy, shared with no other."""
    name = task.settings.get("entry")
    if not isinstance(name, str):
        raise UsageError(f"task {task.id}: a BFCL task needs the setting entry, as in 'multi_turn_base_0'")
    if task.data is not None and task.data != digest_of(name):
        raise UsageError(f"task {task.id}: the installed bfcl-eval holds another {name} than the suite was frozen with")
    question, answer = map(json.loads, entry(name))
    withheld = {int(turn): names for turn, names in question.get("missed_function", {}).items()}
    involved = tuple(question["involved_classes"])
    problem = Problem(
        involved=involved,
        config=question["initial_config"],
        long_context="long_context" in name,
        messages=tuple(_said(turn) for turn in question["question"]),
        answers=(),
        tools=tuple(_tools(involved, withheld, len(question["question"]))),
    )
    methods = problem.backends().methods
    answers = tuple(tuple(read_answer(call, methods) for call in turn) for turn in answer["ground_truth"])
    return Problem(**{**vars(problem), "answers": answers})


def _said(messages: list[dict[str, str]]) -> str:
    """The user's words of one turn; where there are none, tools are added."""
    return "\n".join(m["content"] for m in messages) if messages else wheel().more_tools


def _tools(involved: tuple[str, ...], withheld: dict[int, list[str]], turns: int) -> list[list[dict[str, Any]]]:
    """The tools on offer in each turn: those withheld come last, from their turn on."""
    known = [tool for backend in involved for tool in tools_of(backend)]
    late = {name for names in withheld.values() for name in names}
    offered = [tool for tool in known if tool["name"] not in late]
    by_turn = []
    for turn in range(turns):
        offered = offered + [tool for name in withheld.get(turn, []) for tool in known if tool["name"] == name]
        by_turn.append(offered)
    return by_turn
