"""Curves: one JSON object a line in `curves.jsonl`, append only.

arm                 the recipe's name, with its ablations
seed                the run's seed
update              optimiser steps so far
environment_steps   actions executed so far to learn from; those of evaluations are not counted
tokens              tokens of all calls so far, as environment_steps
metric              what was measured, as `eval/METHOD/first_success`
value               its value
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from cornerman_plugins.trainers.running.checkpoint import State

CURVES = "curves.jsonl"


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One line."""

    arm: str
    seed: int
    update: int
    environment_steps: int
    tokens: int
    metric: str
    value: float


class Curves:
    """The file of a run, cut to the length that its last checkpoint knew."""

    def __init__(self, run: Path, arm: str, seed: int, length: int) -> None:
        self._arm, self._seed = arm, seed
        self._file = (run / CURVES).open("ab")
        self._file.truncate(length)

    def add(self, state: State, figures: Mapping[str, float]) -> None:
        """Append figures of this moment; `state.curves` follows."""
        for metric, value in figures.items():
            point = Point(
                arm=self._arm,
                seed=self._seed,
                update=state.update,
                environment_steps=state.steps,
                tokens=state.tokens,
                metric=metric,
                value=value,
            )
            self._file.write(msgspec.json.encode(point) + b"\n")
        self._file.flush()
        state.curves = self._file.seek(0, os.SEEK_END)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(run: Path) -> list[Point]:
    """All points of a run; a torn last line is left out."""
    data = (run / CURVES).read_bytes()
    return [msgspec.json.decode(line, type=Point) for line in data.split(b"\n")[:-1]]
