"""A recorded episode beside the same one run again: the first places at which they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from types import NoneType
from typing import Any

import msgspec

from cornerman.records import Call, Episode
from cornerman.rerunning.answers import lost
from cornerman.slim import slim

ASIDE = frozenset({"seconds", "queue_seconds", "tries", "usage"})
"""Fields that a rerun does not bring back: times, earlier tries, and sums, which are checked by themselves."""
SEVERAL = (list, tuple, NoneType)
"""An empty list is a default, and absent."""


def differing(recorded: Episode, again: Episode) -> list[tuple[str, Any, Any]]:
    """The leaves at which a record and its rerun differ, in the order of playing: place, recorded value, value now."""
    recorded, again = slim(recorded), slim(again)
    numbers = paired(recorded, again)
    return list(leaves(plain(recorded, {c.id: c.id for c in recorded.calls}), plain(again, numbers), ""))


def paired(recorded: Episode, again: Episode) -> dict[int, int]:
    """The ids of the calls of a rerun, by those of the record: calls that run side by side may start in any order."""
    places: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for call in recorded.calls:
        places[question(call, call.prompt_digest)].append(call.id)
    numbers = {}
    for call in again.calls:
        found = places.get(question(call, call.prompt_digest)) or places.get(question(call, None))
        numbers[call.id] = found.pop(0) if found else -1 - call.id
    return numbers


def question(call: Call, digest: str | None) -> tuple[object, ...]:
    """What a call is known by in both."""
    return call.role, call.plugin, call.purpose, call.kind, call.seed, tuple(c.text for c in call.completions), digest


def plain(episode: Episode, numbers: dict[int, int]) -> dict[str, Any]:
    """An episode as JSON has it, ids of calls and critiques replaced by those that both share."""
    kept = [c for c in episode.calls if not lost(c)]
    calls = sorted((msgspec.structs.replace(c, id=numbers[c.id]) for c in kept), key=lambda c: c.id)
    attempts = msgspec.to_builtins(episode.attempts)
    critiques: dict[int, int] = {}
    for critique in _critiques(attempts):
        critiques.setdefault(critique.get("id", -1), len(critiques))
    _renumber(attempts, numbers, critiques)
    rest = msgspec.structs.replace(episode, attempts=(), calls=())
    return {"attempts": attempts, **msgspec.to_builtins(rest), "calls": msgspec.to_builtins(calls)}


def _critiques(attempts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for attempt in attempts:
        for turn in attempt.get("turns", ()):
            yield from turn.get("critiques", ())
        yield from attempt.get("critiques", ())


def _renumber(attempts: list[dict[str, Any]], calls: dict[int, int], critiques: dict[int, int]) -> None:
    """Replace ids in place, and sort the lists of calls: those side by side are in no order."""
    for critique in list(_critiques(attempts)):
        critique["id"] = critiques[critique.get("id", -1)]
    for record in _tables(attempts):
        if isinstance(call := record.get("call"), int):
            record["call"] = calls.get(call, call)
        if isinstance(several := record.get("calls"), (list, tuple)):
            record["calls"] = sorted(calls.get(c, c) for c in several if isinstance(c, int))
        for field in ("critique", "replaced_by", "changed_by"):
            if isinstance(ident := record.get(field), int):
                record[field] = critiques.get(ident, ident)


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    """Every table within a value of JSON."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from _tables(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tables(part)


def leaves(said: Any, now: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """The leaves at which two values of JSON differ. Fields at their defaults are absent on both sides."""
    if isinstance(said, dict) and isinstance(now, dict):
        for name in {**said, **now}:
            if name not in ASIDE and not (name == "prompt_digest" and said.get(name) is None):
                yield from leaves(said.get(name), now.get(name), f"{place}.{name}" if place else name)
    elif isinstance(said, SEVERAL) and isinstance(now, SEVERAL) and (said or now):
        said, now = said or (), now or ()
        for i, (a, b) in enumerate(zip(said, now, strict=False)):
            yield from leaves(a, b, f"{place}[{i}]")
        if len(said) != len(now):
            yield f"the number of {place}", len(said), len(now)
    elif said != now and not (said != said and now != now):
        yield place, said, now
