"""What a scenario tells its user, whatever form the environment gives it.

τ²-bench's form is {"persona", "instructions": {"reason_for_call", "known_info", "unknown_info", "task_instructions"}};
other environments may give a text, or a table of their own, whose values are all taken for known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

REASON, KNOWN, UNKNOWN = "reason_for_call", "known_info", "unknown_info"


class Scenario(NamedTuple):
    """Why the user calls, and what it knows and does not know: sentences."""

    reason: str
    known: tuple[str, ...]
    unknown: tuple[str, ...]


def read(scenario: Any) -> Scenario:
    """The parts of a scenario; a part that it does not have is empty."""
    if isinstance(scenario, str):
        return Scenario(scenario.strip(), sentences(scenario), ())
    found = dict(fields(scenario))
    known = [text for key, text in found.items() if key not in (REASON, UNKNOWN)] if KNOWN not in found else []
    return Scenario(
        found.get(REASON, "").strip(),
        sentences("\n".join([*known, found.get(KNOWN, ""), found.get(REASON, "")])),
        sentences(found.get(UNKNOWN, "")),
    )


def fields(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The innermost fields of nested tables, by name; what they hold as text."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from fields(inner, str(key))
    elif value is not None:
        yield name, "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, each once."""
    parts = re.split(r"(?<=[.!?])\s+|\s*\n+\s*", text)
    return tuple(dict.fromkeys(p.strip() for p in parts if p.strip()))


def told(scenario: Any) -> str:
    """A scenario as a model reads it: its innermost fields under their names."""
    if isinstance(scenario, str):
        return scenario.strip()
    lines = [(name.replace("_", " ").capitalize(), text.strip()) for name, text in fields(scenario) if text.strip()]
    return "\n\n".join(f"{name}:\n{text}" if name else text for name, text in lines)
