"""What plug-ins answer, checked before it enters a record.

Structs do not check their fields when they are made, and a record that cannot be written would be found out only when
the episode is over. So every answer goes through JSON once, which also parts it from the objects the plug-in keeps.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from cornerman.errors import ActorError, CriticError, EpisodeError, UserError
from cornerman.records import AttemptSpec, Candidate, ContextItem, Critique, MemoryOp, Request, Role

R = TypeVar("R", AttemptSpec, Candidate, ContextItem, Critique, MemoryOp, Request)


def fault(role: Role, text: str) -> EpisodeError:
    """The error class of a role's mistake."""
    return {"actor": ActorError, "user": UserError}.get(role, CriticError)(text)


def _number(value: Any) -> Any:
    """The number types of array libraries as Python's."""
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


_encoder = msgspec.json.Encoder(enc_hook=_number)
_decoders: dict[type, msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind) for kind in (AttemptSpec, Candidate, ContextItem, Critique, MemoryOp, Request)
}


def checked(answer: Any, kind: type[R], role: Role, label: str, hook: str) -> R:
    """A copy of a record from a plug-in, with every field of its type. What does not fit is the plug-in's error."""
    who = f"{role} '{label}' answered"
    if not isinstance(answer, kind):
        raise fault(role, f"{who} {type(answer).__name__} in {hook}, where a cornerman.{kind.__name__} was due")
    try:
        copy: R = _decoders[kind].decode(_encoder.encode(answer))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise fault(role, f"{who} a bad {kind.__name__} in {hook}: {error}") from error
    for name in ("score", "confidence"):  # JSON has no other numbers, and would drop them in silence
        value = getattr(answer, name, None)
        if value is not None and not math.isfinite(value):
            raise fault(role, f"{who} a bad {kind.__name__} in {hook}: {name} is {value}")
    return copy


def several(answer: Any, kind: type[R], role: Role, label: str, hook: str) -> list[R]:
    """None, one record or a list of them, checked, as a list."""
    if answer is None:
        return []
    answers: Sequence[Any] = answer if isinstance(answer, (list, tuple)) else [answer]
    return [checked(a, kind, role, label, hook) for a in answers]
