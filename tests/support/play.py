"""Play one episode of the countdown with given plug-in objects, inline."""

from __future__ import annotations

import asyncio
from typing import Any

from cornerman.engine.context import Bench, Limits
from cornerman.engine.episode import run_episode
from cornerman.engine.method import Method, build_method, method_settings
from cornerman.plugins import load
from cornerman.records import Episode, Task
from cornerman.registry import Registry
from cornerman.suites import Rules
from cornerman.workers.inline import InlineSession
from tests.support import countdown, desk


class InlineSessions:
    """Every environment inline, whatever it says of itself."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    async def open(self, task: Task, *, fork: bool = False) -> InlineSession:
        return InlineSession(self.registry.get("environment", task.env).load(), task)

    async def close(self) -> None:
        return None


def catalogue(**plugins: Any) -> Registry:
    """Built-ins, the countdown, and plug-in classes by `kind_name=factory`."""
    registry = load().registry
    registry.origin = "test"
    registry.add("environment", countdown.SPEC.id, "tests.support.countdown:SPEC")
    registry.add("environment", desk.SPEC.id, "tests.support.desk:SPEC")
    for name, factory in plugins.items():
        kind, _, rest = name.partition("_")
        registry.add(kind, rest.replace("_", "-"), factory)  # type: ignore[arg-type]
    return registry


def no_model(uri: str) -> Any:
    raise AssertionError(f"no model was to be used, but {uri} was")


def method(
    registry: Registry, rules: Rules | None = None, models: dict[str, str] | None = None, **table: Any
) -> Method:
    """A method from the table of an experiment file, under a suite's rules."""
    return build_method(registry, method_settings(table, "method"), models, rules)


def play(
    registry: Registry,
    task: Task | None = None,
    *,
    rules: Rules | None = None,
    seed: int = 0,
    trial: int = 0,
    model: Any = no_model,
    limits: Limits | None = None,
    **table: Any,
) -> Episode:
    """One episode."""
    bench = Bench(sessions=InlineSessions(registry), model=model, seed=seed, limits=limits or Limits())
    made = method(registry, **table)
    return asyncio.run(run_episode(bench, task or countdown.task(), made, rules or Rules(max_turns=20), trial))
