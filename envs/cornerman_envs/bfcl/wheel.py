"""What is taken from the bfcl-eval wheel: tasks, answers, tool documents, backend classes and two comparisons.

The wheel's own way of executing calls is not used: it evaluates the agent's text as Python, and it keeps backends in
its module's globals, where one episode finds what another left.
"""

from __future__ import annotations

import functools
import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cornerman.assets import on_path
from cornerman.errors import UsageError

ASSET = "bfcl-eval"
CATEGORIES = ("base", "long_context", "miss_func", "miss_param")
PACKAGE = "bfcl_eval"


@dataclass(frozen=True)
class Wheel:
    """The wheel's code, imported once a process, and where its data lies.

    `classes` are the backends by name and `documents` the file of tool documents of each. `same_state` and
    `same_results` are the wheel's `state_checker` and `response_checker`; both answer a dict with `valid` and
    `error_type`. `more_tools` is what the user says when tools are added.
    """

    data: Path
    classes: dict[str, type[Any]]
    documents: dict[str, str]
    stateless: tuple[str, ...]
    same_state: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]
    same_results: Callable[[list[str], list[str], int], dict[str, Any]]
    more_tools: str
    step_limit: int


@functools.cache
def wheel() -> Wheel:
    """Import what is needed of the wheel; it is fetched on first use."""
    with on_path(ASSET) as path:
        config = importlib.import_module(f"{PACKAGE}.constants.executable_backend_config")
        prompts = importlib.import_module(f"{PACKAGE}.constants.default_prompts")
        checker = importlib.import_module(f"{PACKAGE}.eval_checker.multi_turn_eval.multi_turn_checker")
        # The web search and the memories belong to other parts of BFCL and need packages of their own.
        names = [n for n in config.CLASS_FILE_PATH_MAPPING if not n.startswith(("WebSearch", "Memory"))]
        classes = {n: getattr(importlib.import_module(config.CLASS_FILE_PATH_MAPPING[n]), n) for n in names}
    return Wheel(
        data=path / PACKAGE / "data",
        classes=classes,
        documents=dict(config.MULTI_TURN_FUNC_DOC_FILE_MAPPING),
        stateless=tuple(config.STATELESS_CLASSES),
        same_state=checker.state_checker,
        same_results=checker.response_checker,
        more_tools=prompts.DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC,
        step_limit=prompts.MAXIMUM_STEP_LIMIT,
    )


def entries(category: str) -> dict[str, str]:
    """The lines of a category's tasks by id, in the wheel's order."""
    return _lines(category, "")


def entry(name: str) -> tuple[str, str]:
    """The lines of a task and of its answer; raises `UsageError` where the wheel has no such task."""
    category = name.removeprefix("multi_turn_").rpartition("_")[0]
    if category not in CATEGORIES or name not in entries(category):
        raise UsageError(f"BFCL has no multi-turn task {name!r}; tasks are named as multi_turn_base_0")
    return entries(category)[name], _lines(category, "possible_answer")[name]


@functools.cache
def _lines(category: str, folder: str) -> dict[str, str]:
    text = (wheel().data / folder / f"BFCL_v4_multi_turn_{category}.json").read_text(encoding="utf-8")
    return {json.loads(line)["id"]: line for line in text.splitlines() if line.strip()}


def tools_of(backend: str) -> list[dict[str, Any]]:
    """The tools of a backend, with parameters in JSON Schema's own type names; a fresh copy."""
    lines = _documents(backend).splitlines()
    return [
        {"name": d["name"], "description": d["description"], "parameters": _schema(d["parameters"])}
        for d in map(json.loads, filter(str.strip, lines))
    ]


@functools.cache
def _documents(backend: str) -> str:
    return (wheel().data / "multi_turn_func_doc" / wheel().documents[backend]).read_text(encoding="utf-8")


TYPES = {"dict": "object", "float": "number", "tuple": "array"}
"""BFCL names types as Python does."""


def _schema(value: Any) -> Any:
    if isinstance(value, list):
        return [_schema(v) for v in value]
    if isinstance(value, dict):
        return {k: TYPES.get(v, v) if k == "type" and isinstance(v, str) else _schema(v) for k, v in value.items()}
    return value
