"""Whether a run or a submission holds what it says: its files, its figures, and every action played again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec

from cornerman.errors import UsageError
from cornerman.experiment import load_suite
from cornerman.plugins import Plugins
from cornerman.recorded import read_manifest
from cornerman.replay import Replayed, replay
from cornerman.store import MANIFEST, SUMMARY, latest, read_experiment, read_json
from cornerman.summary import summarise
from cornerman.workers.session import Sessions
from cornerman_leaderboards.submission import DIGESTS, digests

UNPROVEN = (
    "Not proven: that the recorded model and critics said what the record says, that no episodes were played and "
    "thrown away before, and how long anything took."
)
"""What no replay can show."""


class Finding(msgspec.Struct, frozen=True):
    """Something that differs: where, and how."""

    where: str
    problem: str


def files(folder: Path) -> Iterator[Finding]:
    """Files of a submission whose digest is another than it says."""
    if not (folder / DIGESTS).exists():
        return
    said, now = read_json(folder / DIGESTS), digests(folder)
    if not isinstance(said, dict):
        yield Finding(DIGESTS, "is no table of digests")
        return
    for name, digest in now.items():
        if said.get(name) != digest:
            yield Finding(name, f"has SHA-256 {digest[:12]}…, {DIGESTS} says {str(said.get(name))[:12]}…")


def panel(plugins: Plugins, folder: Path) -> Iterator[Finding]:
    """Digests of tasks and rules against the suite as it is here."""
    suite = read_experiment(folder).tasks(plugins.registry)
    recorded = read_manifest(folder).suite
    for what, now, said in (("panel", suite.panel, recorded.panel), ("rules", suite.rules_digest, recorded.rules)):
        if now != said:
            yield Finding(
                f"{MANIFEST}: suite.{what}", f"is {said[:12]}…, the suite '{suite.name}' here has {now[:12]}…"
            )


def figures(folder: Path) -> Iterator[Finding]:
    """Figures of the summary that the episodes do not give."""
    said = read_json(folder / SUMMARY)
    now = msgspec.json.decode(msgspec.json.encode(summarise(folder)))
    for place, there, here in differences(said, now):
        yield Finding(f"{SUMMARY}: {place}", f"is {there!r}, the episodes give {here!r}")


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


async def actions(sessions: Sessions, folder: Path, at_once: int) -> AsyncIterator[Replayed]:
    """Every attempt, played again."""
    async for found in replay(sessions, latest(folder).values(), at_once):
        yield found


def check_suite(plugins: Plugins, folder: Path) -> None:
    """Raise where the suite is not known here, before anything is played."""
    name = read_manifest(folder).suite.name
    try:
        load_suite(plugins.registry, name.partition("[:")[0])
    except UsageError as error:
        raise UsageError(f"{folder} cannot be verified here: {error}") from error
