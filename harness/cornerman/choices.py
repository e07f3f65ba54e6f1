"""Converting what a person wrote: an unknown key or value is answered with the nearest known."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from typing import Any

import msgspec

from cornerman.errors import did_you_mean

UNKNOWN = re.compile(r"Object contains unknown field `([^`]*)`(?: - at `\$(.*)`)?")
OUTSIDE = re.compile(r"Invalid enum value '(.*)'(?: - at `\$(.*)`)?")


def converted(value: Any, kind: Any, *, strict: bool = True) -> Any:
    """`msgspec.convert`; its error names the field and the nearest of what could have been meant."""
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        key = UNKNOWN.fullmatch(str(error))
        found = key or OUTSIDE.fullmatch(str(error))
        if found is None:
            raise
        fields = re.findall(r"\w+", found[2] or "")
        for field in fields:
            kind = next((hints[field] for hints in fields_of(kind) if field in hints), kind)
        where = f"{fields[-1]}: " if fields else ""
        known = (name for hints in fields_of(kind) for name in hints) if key else values(kind)
        nearest = did_you_mean(found[1], known)
        raise msgspec.ValidationError(f"{where}unknown {'key' if key else 'value'} '{found[1]}'; {nearest}") from error


def fields_of(kind: Any) -> Iterator[dict[str, Any]]:
    """The annotated fields of every struct in a type; those of a struct in another are not among them."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield typing.get_type_hints(kind, include_extras=True)
    for part in typing.get_args(kind):
        yield from fields_of(part)


def values(kind: Any) -> Iterator[str]:
    """The strings of every closed set in a type; keys of a dict are none of them, nor are those of a struct's parts."""
    if typing.get_origin(kind) is typing.Literal:
        yield from (v for v in typing.get_args(kind) if isinstance(v, str))
        return
    parts = typing.get_args(kind)
    for part in parts[1:] if typing.get_origin(kind) is dict else parts:
        yield from values(part)
