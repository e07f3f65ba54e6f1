"""Pieces by name: a registered function with its options set, and the columns or tensors that it reads.

The positional-only parameters of a piece's function name what it reads, its keyword-only ones are its options. The
registration says at which level a reward or an advantage answers (`per`), how a loss is averaged unless the recipe says
otherwise (`normalise`), and which options its name stands for (`options`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from cornerman.engine.instance import check_options
from cornerman.errors import UsageError
from cornerman.registry import Registry
from cornerman_plugins.trainers.batch import Batch, Floats, Level
from cornerman_plugins.trainers.weighting import Normalise

PieceKind = Literal["reward", "advantage", "loss", "schedule"]


@dataclass(frozen=True)
class Piece:
    """A reward, advantage, loss or schedule that a recipe chose. `reads` are the names of what it is given."""

    kind: PieceKind
    name: str
    function: Callable[..., Any]
    reads: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    per: Level = "sample"
    normalise: Normalise = "token"

    def __call__(self, given: Mapping[str, Any]) -> Any:
        """Call the function on what it reads of `given`: a `Batch`, or tensors by name for a loss."""
        missing = [name for name in self.reads if name not in given]
        if missing:
            raise UsageError(f"{self.kind} '{self.name}' reads {', '.join(missing)}, which this training does not have")
        return self.function(*[given[name] for name in self.reads], **self.options)


def load_piece(registry: Registry, kind: PieceKind, name: str, options: Mapping[str, Any] | None = None) -> Piece:
    """The piece of that name with the options of a recipe, checked against the function's signature.

    Raises `UsageError` for names, options and values that are not known, with the nearest that are.
    """
    entry = registry.get(kind, name)
    function = entry.load()
    return Piece(
        kind=kind,
        name=name,
        function=function,
        reads=tuple(p.name for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_ONLY),
        options=check_options(name, function, {**entry.meta.get("options", {}), **(options or {})}),
        per=entry.meta.get("per", "sample"),
        normalise=entry.meta.get("normalise", "token"),
    )


def rewarded(batch: Batch, reward: Piece) -> Batch:
    """The batch with the reward piece's answer in `reward`, or in `turn_reward` for a reward by turn.

    Raises `UsageError` for rewards that are not finite: a score that the piece reads is missing.
    """
    values = _finite(reward, reward(batch))
    return batch.having(**{"reward" if reward.per == "sample" else "turn_reward": values})


def advantages(batch: Batch, chain: Sequence[Piece]) -> Floats:
    """Advantages by turn, or by token if a piece answers by token: each piece reads what the one before left.

    The batch holds the rewards. Raises `UsageError` for an answer that is not finite: it would spoil every weight.
    """
    level: Level = "turn"
    values: Floats = np.zeros(batch.size("turn"))
    for piece in chain:
        if level == "token":
            raise UsageError(f"advantage '{piece.name}' follows one by token; a piece by token has to be the last")
        level = "token" if piece.per == "token" else "turn"
        values = batch.spread(_finite(piece, piece(batch)), piece.per, level)
        if level == "turn":
            batch = batch.having(advantage=values)
    return values


def _finite(piece: Piece, values: Floats) -> Floats:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise UsageError(
            f"{piece.kind} '{piece.name}' has no finite answer for {len(wrong)} of {len(values)} {piece.per}s, the "
            f"first at {wrong[0]}: one of {', '.join(piece.reads)} is missing there"
        )
    return values
