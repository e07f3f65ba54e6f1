"""The leaves at which two JSON values differ, and the figures of a summary beside those that its episodes give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from cornerman.store import SUMMARY, read_json
from cornerman.summary import Summary, summarise
from cornerman_leaderboards.rows.finding import Finding, short


def figures(folder: Path) -> Iterator[Finding]:
    """Figures of the summary that the episodes do not give."""
    if not (folder / SUMMARY).exists():
        return
    try:
        said = plain(msgspec.convert(read_json(folder / SUMMARY), Summary))
    except msgspec.ValidationError as error:
        yield Finding(SUMMARY, f"is no summary: {error}")
        return
    now = plain(summarise(folder, compact=False))
    for place, there, here in differences(said, now):
        yield Finding(f"{SUMMARY}: {place}", f"is {short(there)}, the episodes give {short(here)}")


def plain(value: object) -> Any:
    """A value as reading it from JSON gives it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def differences(said: Any, now: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every leaf at which two JSON values differ; numbers may differ by rounding."""
    if isinstance(said, dict) and isinstance(now, dict):
        for key in sorted({*said, *now}):
            yield from differences(said.get(key), now.get(key), f"{place}.{key}" if place else str(key))
    elif isinstance(said, list) and isinstance(now, list) and len(said) == len(now):
        for i, (a, b) in enumerate(zip(said, now, strict=True)):
            name = a.get("method") if isinstance(a, dict) else None
            yield from differences(a, b, f"{place}[{name if isinstance(name, str) else i}]")
    elif not same(said, now):
        yield place, said, now


def same(said: Any, now: Any) -> bool:
    """Whether two leaves agree; two numbers do when they are as near as writing them down leaves them."""
    if isinstance(said, bool) or isinstance(now, bool) or not isinstance(said, (int, float)):
        return type(said) is type(now) and bool(said == now)
    return isinstance(now, (int, float)) and abs(said - now) <= 1e-9 * max(1.0, abs(said), abs(now))
