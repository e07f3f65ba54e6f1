"""Results files of τ²-bench (arXiv 2506.07982): `{"info": …, "tasks": […], "simulations": […]}`.

The agent's side alone is read: what a user did with tools of its own, and what these answered, the agent never saw.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cornerman.importing.messages import trace
from cornerman.importing.parsing import bad, content, json_of, listed, mapping, name, score_of
from cornerman.importing.traces import Trace


def read(path: Path) -> Iterator[Trace]:
    """Every simulation of a file."""
    table = mapping(json_of(content(path), str(path)), str(path))
    if "simulations" not in table:
        bad(str(path), "a results file of tau2 has simulations")
    policy = policy_of(table)
    for i, value in enumerate(listed(table["simulations"], f"{path}, simulations")):
        place = f"{path}, simulation {i}"
        simulation = mapping(value, place)
        info = simulation.get("reward_info")
        score = score_of(mapping(info, place).get("reward") if info is not None else None, place)
        trial = simulation.get("trial")
        if trial is not None and (not isinstance(trial, int) or isinstance(trial, bool) or not 0 <= trial < 10_000):
            bad(place, f"a trial is a number from 0, not {trial!r:.40}")
        seen = [m for message in listed(simulation.get("messages"), place) for m in heard(mapping(message, place))]
        yield trace(seen, place, task=name(simulation.get("task_id"), place), trial=trial, score=score, goal=policy)


def policy_of(table: dict[str, Any]) -> str:
    """The domain's policy, where the file has it."""
    info = table.get("info")
    environment = info.get("environment_info") if isinstance(info, dict) else None
    policy = environment.get("policy") if isinstance(environment, dict) else None
    return policy if isinstance(policy, str) else ""


def heard(message: dict[str, Any]) -> list[dict[str, Any]]:
    """A message as the agent heard it: answers to its own calls taken apart, the user's calls left out."""
    if isinstance(message.get("tool_messages"), list):
        return [m for part in message["tool_messages"] if isinstance(part, dict) for m in heard(part)]
    if message.get("role") == "tool" and message.get("requestor") == "user":
        return []
    if message.get("role") == "user" and message.get("tool_calls"):
        return []
    return [message]
