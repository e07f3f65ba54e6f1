"""Checkpoints: tensors as safetensors, counters as JSON, whole or not there at all.

Random states need no place in them: every draw is a hash of the seed and of where in the run it happens.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors.torch import load_file, save_file

from cornerman.errors import UsageError

FOLDER, STATE = "checkpoints", "state.json"
KEPT = 2
"""How many of the newest checkpoints stay."""


class State(msgspec.Struct, kw_only=True):
    """Where a run is: updates done in all, the phase of the schedule and updates done in it, what was spent, how long
    the file of curves was, and what its watch remembers. tasks: how many were played of each suite. evaluated: the
    update of the last evaluation."""

    update: int = 0
    phase: int = 0
    done: int = 0
    steps: int = 0
    tokens: int = 0
    curves: int = 0
    tasks: dict[str, int] = {}
    evaluated: int = -1
    watch: dict[str, Any] = {}
    stopped: str = ""


Tensors = Mapping[str, Mapping[str, torch.Tensor]]


def save(run: Path, state: State, tensors: Tensors) -> None:
    """Write the checkpoint of this update; older ones than the newest few are deleted."""
    folder = run / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{state.update:08d}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    for name, found in tensors.items():
        save_file({k: v.cpu().contiguous() for k, v in found.items()}, part / f"{name}.safetensors")
    (part / STATE).write_bytes(msgspec.json.format(msgspec.json.encode(state), indent=1))
    for file in part.iterdir():
        _sync(file)
    final = folder / f"{state.update:08d}"
    shutil.rmtree(final, ignore_errors=True)
    part.rename(final)
    _sync(folder)
    for old in found_in(run)[:-KEPT]:
        shutil.rmtree(old)


def found_in(run: Path) -> list[Path]:
    """The whole checkpoints of a run, oldest first."""
    return sorted(p for p in (run / FOLDER).glob("[0-9]*") if (p / STATE).is_file())


def last(run: Path) -> Path | None:
    """The newest checkpoint of a run."""
    found = found_in(run)
    return found[-1] if found else None


def state_of(checkpoint: Path) -> State:
    """Its counters. Raises `UsageError` for a damaged file."""
    try:
        return msgspec.json.decode((checkpoint / STATE).read_bytes(), type=State)
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{checkpoint / STATE} is damaged: {error}; delete {checkpoint} to go on before it") from error


def tensors_of(checkpoint: Path, name: str) -> dict[str, torch.Tensor]:
    """Tensors by name. Raises `UsageError` where they cannot be read."""
    path = checkpoint / f"{name}.safetensors"
    try:
        return dict(load_file(path))
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{path} cannot be read: {error}; delete {checkpoint} to go on before it") from error


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
