"""What running a recorded run again needs: its methods, the names and abilities of its models, what memories held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cornerman.controls import supply
from cornerman.engine.context import MemoryItem
from cornerman.engine.method import Method, build_method
from cornerman.errors import UsageError
from cornerman.experiment import Experiment
from cornerman.memory import Ledger, sources
from cornerman.models import split_uri
from cornerman.plugins import Plugins
from cornerman.records import Episode
from cornerman.registry import Registry
from cornerman.rerunning.playing import Stage
from cornerman.store import MANIFEST, read_json
from cornerman.suites import Suite
from cornerman.workers.session import Sessions

Key = tuple[str, str, int]


def buildable(plugins: Plugins, experiment: Experiment, suite: Suite) -> tuple[dict[str, Method], dict[str, str]]:
    """The methods of an experiment that can be built here, and why the others can not, both by name."""
    methods, problems = {}, {}
    for settings in experiment.method:
        try:
            method = build_method(plugins.registry, settings, experiment.models, suite.rules)
            for critic in method.critics:
                supply(critic)
        except UsageError as error:
            problems[settings.name] = str(error)
        else:
            methods[settings.name] = method
    return methods, problems


def stage_of(
    plugins: Plugins,
    folder: Path,
    experiment: Experiment,
    suite: Suite,
    methods: Mapping[str, Method],
    episodes: Mapping[Key, Episode],
    sessions: Sessions,
) -> tuple[Stage, dict[str, str]]:
    """The stage for the methods that can be run again, and why the others can not."""
    kept: dict[str, Method] = {}
    problems: dict[str, str] = {}
    memories: dict[Key, tuple[MemoryItem, ...]] = {}
    models: dict[str, tuple[str, Sequence[str]]] = {}
    for name, method in methods.items():
        if method.interactive:
            problems[name] = "a person played in it"
            continue
        try:
            memories |= held(method, suite, experiment.trials, episodes)
            models |= abilities(plugins.registry, folder, method, episodes.values())
        except UsageError as error:
            problems[name] = str(error)
            continue
        kept[name] = method
    return Stage(sessions, kept, suite.rules, experiment.seed, models, experiment.prices, memories), problems


def held(
    method: Method, suite: Suite, trials: int, episodes: Mapping[Key, Episode]
) -> dict[Key, tuple[MemoryItem, ...]]:
    """What the method's memory held when each of its episodes began, by the recorded operations of those before."""
    if method.memory is None:
        return {}
    starts, _ = sources([method], suite)
    settings, out = method.memory.settings, {}
    for trial in range(trials):
        ledger = Ledger(settings.mode, settings.round, len(suite.tasks), starts.get(method.name, ()))
        for position, task in enumerate(suite.tasks):
            key = (task.id, method.name, trial)
            if key not in episodes or not ledger.ready(position):
                raise UsageError(f"its memory at {task.id} is not known: an episode before is not recorded")
            out[key] = ledger.entries(position)
            ledger.record(position, episodes[key].memory)
    return out


def abilities(
    registry: Registry, folder: Path, method: Method, episodes: Iterable[Episode]
) -> dict[str, tuple[str, Sequence[str]]]:
    """Name and capabilities of a method's models by their URIs, as its calls and the manifest tell them."""
    named = {i.label: i.model for i in method.instances if i.model is not None}
    calls = {
        named[c.plugin]: c.model for e in episodes if e.method == method.name for c in e.calls if c.plugin in named
    }
    recorded = read_json(folder / MANIFEST).get("models")
    out: dict[str, tuple[str, Sequence[str]]] = {}
    for uri in method.models:
        out[uri] = (calls.get(uri, uri), told(recorded, uri) or declared(registry, uri))
    return out


def told(recorded: Any, uri: str) -> list[str]:
    """The capabilities that a manifest tells of a model; none where it tells of none."""
    about = recorded.get(uri) if isinstance(recorded, dict) else None
    found = about.get("capabilities") if isinstance(about, dict) else None
    return [c for c in found if isinstance(c, str)] if isinstance(found, list) else []


def declared(registry: Registry, uri: str) -> list[str]:
    """The capabilities that a backend declares before it is opened."""
    scheme, _, _ = split_uri(uri)
    return sorted(getattr(registry.get("model", scheme).load(), "capabilities", ()))
