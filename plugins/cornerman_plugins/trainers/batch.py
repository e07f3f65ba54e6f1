"""What training pieces work on: named columns of arrays at three levels, with their meanings.

A batch's samples need not be in any order; turns say which sample they belong to and tokens which turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from cornerman.errors import UsageError, did_you_mean

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Names = npt.NDArray[np.str_]
Array = npt.NDArray[Any]

Level = Literal["sample", "turn", "token"]
BEFORE, REQUEST, AFTER = 0, 1, 2
"""Values of `segment`: turns before the first request for feedback, that request, and what follows it."""


class Column(NamedTuple):
    """One column: its level, the kinds of its numpy dtype (b, i, f, U) and what it says."""

    level: Level
    kinds: str
    meaning: str


COLUMNS: dict[str, Column] = {
    # -- one value a sample
    "role": Column("sample", "U", "the trainable role that made it, such as actor or critic"),
    "group": Column("sample", "i", "samples with equal numbers are compared with each other"),
    "score": Column("sample", "f", "graded score in [0,1] of the attempt that it is, or that its words led to"),
    "success": Column("sample", "b", "whether that attempt solved the task"),
    "before": Column("sample", "f", "score of the attempt that this one retries or the critique is about; nan: none"),
    "base": Column("sample", "i", "index of the sample that this one retries; -1: none"),
    "calls": Column("sample", "i", "requests for feedback in it"),
    "verdict": Column("sample", "f", "what a critic said of the thing judged: 1 right, -1 wrong, nan unreadable"),
    "truth": Column("sample", "f", "what the thing judged really was: 1 right, -1 wrong"),
    "judged": Column("sample", "f", "a judge's score of a critique, in the judge's units; nan: unreadable"),
    "valid": Column("sample", "f", "the share of its generations that could be read, in [0,1]"),
    "trial": Column("sample", "i", "attempts at one task from one start, told apart from other tries of the task"),
    "order": Column("sample", "i", "place of the attempt within its trial, from 0"),
    "pivot": Column("sample", "i", "turn at which a retry left its base attempt; -1: none"),
    "reward": Column("sample", "f", "the reward piece's answer, where it is one a sample"),
    # -- one value a turn
    "sample": Column("turn", "i", "index of the sample that the turn belongs to"),
    "turn": Column("turn", "i", "index of the turn in its attempt, counted from the start of the task"),
    "state": Column("turn", "i", "equal numbers: the same anchor state, that is the same observation in one task"),
    "turn_reward": Column("turn", "f", "reward of the turn: the environment's increment, or a piece's answer"),
    "turn_verdict": Column("turn", "f", "mean of the verdicts in [-1,1] that a critic gave the turn; 0: none"),
    "value": Column("turn", "f", "value predicted before the turn, in units of the return"),
    "segment": Column("turn", "i", "0 before the first request for feedback, 1 that request, 2 after it"),
    "advantage": Column("turn", "f", "the advantage as the piece before in the chain left it"),
    # -- one value a token
    "token_turn": Column("token", "i", "index of the turn that the token belongs to"),
    "old": Column("token", "f", "log-probability (nats) under the policy that sampled it, as the trainer computes it"),
    "reference": Column("token", "f", "log-probability (nats) under the reference policy"),
}
LEVELS: dict[Level, str] = {"sample": "role", "turn": "sample", "token": "token_turn"}
"""The column of every level that a batch cannot do without; `role` may be left out where no piece asks for it."""


class Batch(Mapping[str, Array]):
    """Columns by name, checked: known names, one dimension, the right kind, equal lengths within a level.

    Raises `UsageError` for what is wrong with a column, and when one is asked for that is not there.
    """

    def __init__(self, **columns: npt.ArrayLike) -> None:
        self._columns = {name: _checked(name, values) for name, values in columns.items()}
        self._lengths: dict[Level, int] = {}
        for name, values in self._columns.items():
            level = COLUMNS[name].level
            expected = self._lengths.setdefault(level, len(values))
            if len(values) != expected:
                raise UsageError(f"column '{name}' has {len(values)} values; the others of its level have {expected}")
        for pointer, level in (("sample", "sample"), ("token_turn", "turn")):
            _points(self._columns.get(pointer), pointer, self._lengths.get(level))

    def __getitem__(self, name: str) -> Array:
        if name in self._columns:
            return self._columns[name]
        if name not in COLUMNS:
            raise UsageError(f"unknown column '{name}'; {did_you_mean(name, COLUMNS)}")
        raise UsageError(f"this batch has no column '{name}' ({COLUMNS[name].meaning})")

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def size(self, level: Level) -> int:
        """How many samples, turns or tokens there are; 0 where the batch has no column of that level."""
        return self._lengths.get(level, 0)

    def having(self, **columns: npt.ArrayLike) -> Batch:
        """This batch with some columns added or replaced."""
        return Batch(**{**self._columns, **columns})

    def spread(self, values: Floats, level: Level, to: Level) -> Floats:
        """Values of a level as values of the same or a finer one: each turn has its sample's, each token its turn's."""
        steps: dict[Level, tuple[Level, str]] = {"sample": ("turn", "sample"), "turn": ("token", "token_turn")}
        while level != to:
            level, pointer = steps[level]
            values = values[self[pointer]]
        return values


def _checked(name: str, values: npt.ArrayLike) -> Array:
    if name not in COLUMNS:
        raise UsageError(f"unknown column '{name}'; {did_you_mean(name, COLUMNS)}")
    array = np.asarray(values)
    kinds = COLUMNS[name].kinds
    if kinds == "f" and array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.ndim != 1 or (len(array) and array.dtype.kind not in kinds):
        raise UsageError(f"column '{name}' is {array.ndim}-dimensional {array.dtype}, not a list of kind {kinds}")
    return array


def _points(pointer: Array | None, name: str, size: int | None) -> None:
    if pointer is not None and size is not None and len(pointer) and not (0 <= pointer.min() <= pointer.max() < size):
        raise UsageError(f"column '{name}' points from {pointer.min()} to {pointer.max()}; there are {size}")
