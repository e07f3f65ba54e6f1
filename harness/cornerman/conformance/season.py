"""Playing a plug-in under test: a method around it, and the kit's tasks one after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from cornerman.conformance import corridor, shop
from cornerman.conformance.model import HashModel
from cornerman.conformance.partners import Speaker, Twice, Walker
from cornerman.conformance.probe import Probe, probe
from cornerman.engine.context import Bench, Limits, MemoryItem
from cornerman.engine.episode import run_episode
from cornerman.engine.instance import build
from cornerman.engine.method import Method, build_method, method_settings
from cornerman.engine.settings import PluginSettings
from cornerman.errors import UsageError
from cornerman.memory import apply
from cornerman.records import Episode, Role, Task
from cornerman.registry import Entry, Registry
from cornerman.suites import Rules
from cornerman.workers.inline import InlineSession

RULES = Rules(max_turns=8)
LIMITS = Limits(call_seconds=30, turn_seconds=60, episode_seconds=120)
PARTNERS = {"actor": Walker, "critic": Speaker, "protocol": Twice}
PARTNER = "conformance-partner"


class Sessions:
    """The corridor and the shop, inline."""

    async def open(self, task: Task, *, fork: bool = False) -> InlineSession:
        """The one of the task."""
        return InlineSession(shop.SPEC if task.env == shop.SPEC.id else corridor.SPEC, task)

    async def close(self) -> None:
        """Nothing is held."""


@dataclass
class Cast:
    """A method, the plug-in under test in it, and the model that it is given."""

    method: Method
    probe: Probe
    noise: bool = False

    async def play(self) -> list[Episode]:
        """One episode of each task, in order; a memory carries on from one to the next."""
        model = HashModel(self.noise)
        bench = Bench(sessions=Sessions(), model=lambda uri: model, limits=LIMITS)
        episodes: list[Episode] = []
        memory: tuple[MemoryItem, ...] = ()
        for task in corridor.TASKS if self.method.user is None else shop.TASKS:
            episode = await run_episode(bench, task, self.method, RULES, memory=memory)
            memory = apply(memory, episode.memory)
            episodes.append(episode)
        return episodes


def catalogue(entry: Entry) -> Registry:
    """The plug-in under test, the kit's partners and nothing else."""
    registry = Registry()
    partners = PARTNERS | ({"actor": shop.Clerk} if entry.kind == "user" else {})
    for kind, factory in partners.items():
        registry.add(kind, PARTNER, factory)  # type: ignore[arg-type]
    registry.add(entry.kind, entry.name, entry.target, extra=entry.extra, needs=entry.needs)
    return registry


def cast(entry: Entry, settings: PluginSettings, noise: bool = False) -> Cast:
    """A method around a plug-in. Raises `UsageError` where the plug-in cannot be made or its hooks are wrong."""
    role: Role = entry.kind  # type: ignore[assignment]
    table: dict[str, Any] = dict.fromkeys(PARTNERS, PARTNER)
    table |= {"name": "conformance"} | ({} if role == "user" else {role: settings})
    registry = catalogue(entry)
    method = build_method(registry, method_settings(table, "check"), dict.fromkeys((*PARTNERS, "memory"), "kit"))
    match role:
        case "actor":
            method.actor = watched = probe(method.actor)
        case "critic":
            method.critics[0] = watched = probe(method.critics[0])
        case "memory" if method.memory is not None:
            method.memory = watched = probe(method.memory)
        case "protocol":
            method.protocol = watched = probe(method.protocol)
        case "user":
            method.user = watched = probe(build(registry, "user", settings, "kit"))
        case _:
            raise UsageError(f"a {role} is not checked; the kit knows actors, critics, memories, protocols and users")
    return Cast(method, watched, noise)


def timeless(value: Any) -> Any:
    """A record as plain data without what a clock said."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.to_builtins(value)
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in ("seconds", "queue_seconds")}
    return [timeless(v) for v in value] if isinstance(value, (list, tuple)) else value
