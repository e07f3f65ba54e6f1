"""Reading files that others wrote: whatever is not as it should be is one sentence with its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from cornerman.errors import UsageError


def bad(place: str, problem: str) -> NoReturn:
    """Refuse a file for what stands at a place of it."""
    raise UsageError(f"{place}: {problem}")


def content(path: Path) -> bytes:
    """A file's bytes."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def json_of(data: bytes, place: str) -> Any:
    """A JSON value."""
    try:
        return msgspec.json.decode(data)
    except RecursionError:
        bad(place, "it nests too deep")
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        bad(place, f"this is no JSON: {error}")


def lines(path: Path) -> Iterator[tuple[str, Any]]:
    """The JSON value of every line that is not blank, with its place."""
    for number, line in enumerate(content(path).splitlines(), 1):
        if line.strip():
            yield f"{path} line {number}", json_of(line, f"{path} line {number}")


def mapping(value: Any, place: str) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        bad(place, f"a JSON object was due, not {name_of(value)}")
    return value


def listed(value: Any, place: str) -> list[Any]:
    """A JSON list."""
    if not isinstance(value, list):
        bad(place, f"a list was due, not {name_of(value)}")
    return value


def name_of(value: Any) -> str:
    """What a JSON value is."""
    return {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}.get(
        type(value), "a number"
    )


def text_of(value: Any, place: str) -> str:
    """A message's content: a string, none, or a list of parts of which the texts are kept."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    parts = [mapping(p, place) for p in listed(value, place)]
    return "\n".join(p["text"] if isinstance(p.get("text"), str) else f"[{p.get('type', 'part')}]" for p in parts)


def score_of(value: Any, place: str) -> float | None:
    """A score in [0,1], or none where nothing is said."""
    if value is None:
        return None
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, (int, float)) or not math.isfinite(value) or not 0 <= value <= 1:
        bad(place, f"a score is a number from 0 to 1, not {value!r:.40}")
    return float(value)


def name(value: Any, place: str) -> str:
    """A task's id: printable text or a whole number."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > 500:
        bad(place, f"a task's id is a short printable text, not {value!r:.40}")
    return text
