"""What a plug-in is, told without playing it: its options, the moments at which it is asked, and what it sees."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import msgspec

from cornerman.engine.instance import ASKED, PRIVILEGED, declared, validate_hooks
from cornerman.errors import CornermanError
from cornerman.records import Role
from cornerman.registry import Entry


class Option(msgspec.Struct, frozen=True):
    """One option of a factory; `required` ones have no default."""

    name: str
    default: Any = None
    required: bool = False
    type: str = ""


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """What a plug-in is with its options at their defaults. `problem` says why something of it is unknown."""

    options: list[Option] | None = None
    hooks: list[str] | None = None
    sees: list[str] | None = None
    privileged: bool | None = None
    problem: str | None = None


def describe(entry: Entry) -> Description:
    """Load a plug-in of a role and look at it. What cannot be loaded or made is said, and raises nothing."""
    options = None
    try:
        factory = entry.load()
        options = options_of(factory)
        role: Role = entry.kind  # type: ignore[assignment]
        plugin = factory()
        sees = declared(plugin, role, entry.name)
        hooks = validate_hooks(plugin, role, entry.name)
    except CornermanError as error:
        return Description(options=options, problem=str(error))
    except Exception as error:
        return Description(options=options, problem=f"cannot be made without options: {error}")
    return Description(
        options=options,
        hooks=[hook for hook in ASKED[role] if hook in hooks],
        sees=sorted(sees),
        privileged=bool(PRIVILEGED & sees),
    )


def options_of(factory: Callable[..., Any]) -> list[Option]:
    """The keyword options of a factory, with their defaults and annotated types as they are written."""
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = [p for p in inspect.signature(factory).parameters.values() if p.kind in kinds]
    return [
        Option(
            name=p.name,
            default=None if p.default is p.empty else plain(p.default),
            required=p.default is p.empty,
            type="" if p.annotation is p.empty else inspect.formatannotation(p.annotation).strip("'\""),
        )
        for p in found
    ]


def plain(value: Any) -> Any:
    """A default as JSON shows it."""
    try:
        return msgspec.to_builtins(value)
    except TypeError:
        return repr(value)
