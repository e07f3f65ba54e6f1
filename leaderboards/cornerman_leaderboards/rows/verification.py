"""Whether a run or a submission holds what it says: its files, its figures, and every action played again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec

from cornerman.engine.calls import usage_by_role
from cornerman.errors import UsageError
from cornerman.experiment import load_suite
from cornerman.manifest import describe_method
from cornerman.plugins import Plugins
from cornerman.recorded import read_manifest
from cornerman.replay import Replayed, replay
from cornerman.runner import build_methods
from cornerman.store import MANIFEST, PACKED, SUMMARY, latest, read_experiment, read_json
from cornerman.summary import summarise
from cornerman.workers.session import Sessions
from cornerman_leaderboards.rows.submission import DIGESTS, FILES, digest

UNPROVEN = (
    "Not proven: that models and critics said what the record says, and were asked as often; which method's name "
    "stands over which episode; that none were played and thrown away before; and how long anything took."
)
"""What no replay can show."""


class Finding(msgspec.Struct, frozen=True):
    """Something that differs: where, and how."""

    where: str
    problem: str


def files(folder: Path) -> Iterator[Finding]:
    """Files of a submission that are missing, or whose digest is another than it says. A run has no digests."""
    if not (folder / PACKED).exists():
        return
    said = read_json(folder / DIGESTS) if (folder / DIGESTS).exists() else {}
    for name in FILES:
        now = digest(folder / name)
        told = said.get(name) if isinstance(said, dict) else None
        if now is None:
            yield Finding(name, "is missing")
        elif told != now:
            yield Finding(name, f"has SHA-256 {now[:12]}…, {DIGESTS} says {str(told)[:12]}")


def configuration(plugins: Plugins, folder: Path) -> Iterator[Finding]:
    """The manifest and every episode's task, against the experiment and its suite as they are here."""
    experiment, about = read_experiment(folder), read_manifest(folder)
    suite = experiment.tasks(plugins.registry)
    methods = [describe_method(plugins.registry, m) for m in build_methods(plugins, experiment, suite.rules)]
    now = {
        "suite": {"panel": suite.panel, "rules": suite.rules_digest, "tasks": [t.id for t in suite.tasks]},
        "methods": methods,
        "trials": experiment.trials,
        "baseline": experiment.baseline,
        "family": experiment.family,
        "seed": experiment.seed,
        "prices": experiment.prices,
    }
    said = read_json(folder / MANIFEST)
    plain = msgspec.json.decode(msgspec.json.encode(now))
    kept = {key: said.get(key) for key in plain} | {"suite": {k: said["suite"].get(k) for k in plain["suite"]}}
    for place, there, here in differences(kept, plain):
        yield Finding(f"{MANIFEST}: {place}", f"is {short(there)}, the experiment and suite here give {short(here)}")
    tasks = {t.id: t for t in suite.tasks}
    for (task, method, trial), episode in latest(folder).items():
        if task in tasks and episode.task != tasks[task]:
            yield Finding(f"{task}/{method}/{trial}", "its task is not the suite's task of this id")
        if episode.seed != about.seed:
            yield Finding(f"{task}/{method}/{trial}", f"was played with seed {episode.seed}, the run has {about.seed}")
        sums = {role: u.calls for role, u in usage_by_role(episode.calls).items()}
        if {role: u.calls for role, u in episode.usage.items()} != sums:
            yield Finding(f"{task}/{method}/{trial}", "its usage is not the sum of its calls")


def short(value: Any) -> str:
    """A value as a finding shows it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def figures(folder: Path) -> Iterator[Finding]:
    """Figures of the summary that the episodes do not give."""
    if not (folder / SUMMARY).exists():
        return
    said = read_json(folder / SUMMARY)
    now = msgspec.json.decode(msgspec.json.encode(summarise(folder)))
    for place, there, here in differences(said, now):
        yield Finding(f"{SUMMARY}: {place}", f"is {short(there)}, the episodes give {short(here)}")


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
