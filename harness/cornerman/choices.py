"""Converting what a person wrote: a value outside of a closed set is answered with the nearest of the set."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from typing import Any

import msgspec

from cornerman.errors import did_you_mean

OUTSIDE = re.compile(r"Invalid enum value '(.*)'")


def converted(value: Any, kind: Any, *, strict: bool = True) -> Any:
    """`msgspec.convert`; its error names the nearest of the values that could have been meant."""
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        found = OUTSIDE.match(str(error))
        if found is None:
            raise
        nearest = did_you_mean(found[1], values(kind))
        raise msgspec.ValidationError(f"unknown value '{found[1]}'; {nearest}") from error


def values(kind: Any) -> Iterator[str]:
    """The strings of every closed set in a type, those in its parts included; the keys of a dict left out."""
    if typing.get_origin(kind) is typing.Literal:
        yield from (v for v in typing.get_args(kind) if isinstance(v, str))
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for part in typing.get_type_hints(kind, include_extras=True).values():
            yield from values(part)
    else:
        parts = typing.get_args(kind)
        for part in parts[1:] if typing.get_origin(kind) is dict else parts:
            yield from values(part)
