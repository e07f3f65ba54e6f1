"""Whether what a row says of itself fits together: configuration, episodes, calls and declaration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from cornerman.declaration import DECLARATION, read_declaration, seen
from cornerman.engine.calls import usage_by_role
from cornerman.engine.method import Method
from cornerman.experiment import Experiment
from cornerman.manifest import describe_method
from cornerman.plugins import Plugins
from cornerman.recorded import read_manifest
from cornerman.records import Call, Episode, Usage
from cornerman.rerunning.answers import lost
from cornerman.store import MANIFEST, read_json
from cornerman.suites import Suite
from cornerman.tally import critiques
from cornerman_leaderboards.rows.differences import differences
from cornerman_leaderboards.rows.files import is_row
from cornerman_leaderboards.rows.finding import Finding, place, short
from cornerman_leaderboards.rows.submission import wanted

Episodes = Mapping[tuple[str, str, int], Episode]


def configuration(
    plugins: Plugins, folder: Path, experiment: Experiment, suite: Suite, methods: Mapping[str, Method]
) -> Iterator[Finding]:
    """The manifest against the experiment and its suite as they are here; of methods those that can be built."""
    said = read_json(folder / MANIFEST)
    now = {
        "suite": {"panel": suite.panel, "rules": suite.rules_digest, "tasks": [t.id for t in suite.tasks]},
        "methods": [
            describe_method(plugins.registry, methods[m.name]) if m.name in methods else recorded_method(said, m.name)
            for m in experiment.method
        ],
        "trials": experiment.trials,
        "baseline": experiment.baseline,
        "family": experiment.family,
        "seed": experiment.seed,
        "prices": experiment.prices,
    }
    plain = msgspec.json.decode(msgspec.json.encode(now))
    kept = {key: said.get(key) for key in plain} | {"suite": {k: said["suite"].get(k) for k in plain["suite"]}}
    kept["methods"] = actors_as_of(kept["methods"], plain["methods"])
    for where, there, here in differences(kept, plain):
        yield Finding(f"{MANIFEST}: {where}", f"is {short(there)}, the experiment and suite here give {short(here)}")


def actors_as_of(said: Any, now: list[Any]) -> Any:
    """The recorded methods with the actor digests of today, where the same ones share an actor.

    A digest holds the defaults of an actor's options; one that has got another option since has another digest. Which
    methods may be compared with each other is what a row must not change.
    """
    if not isinstance(said, list) or len(said) != len(now) or not all(isinstance(m, dict) for m in [*said, *now]):
        return said
    pairs = {(repr(a.get("actor_digest")), b.get("actor_digest")) for a, b in zip(said, now, strict=True)}
    one_to_one = len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    if not one_to_one:
        return said
    return [{**a, "actor_digest": b.get("actor_digest")} for a, b in zip(said, now, strict=True)]


def other_actors(folder: Path, plugins: Plugins, methods: Mapping[str, Method]) -> list[str]:
    """Methods whose actor digest is another one here than in the manifest: no test compares them with rows of today."""
    return [
        m.method
        for m in read_manifest(folder).methods
        if m.method in methods
        and describe_method(plugins.registry, methods[m.method])["actor_digest"] != m.actor_digest
    ]


def recorded_method(said: Any, name: str) -> Any:
    """What a manifest says of a method."""
    return next((m for m in said["methods"] if m["method"] == name), None)


def record(folder: Path, suite: Suite, methods: Mapping[str, Method], episodes: Episodes) -> Iterator[Finding]:
    """Every episode: asked for, of the suite's own task, and with sums and calls that fit."""
    about = read_manifest(folder)
    asked = set(wanted(about))
    if is_row(folder):
        yield from (Finding("/".join(map(str, key)), "is not recorded") for key in sorted(asked - episodes.keys()))
    weights = checkpoints(read_json(folder / MANIFEST))
    models = {m.method: m.models for m in about.methods}
    tasks = {t.id: t for t in suite.tasks}
    for key, episode in episodes.items():
        where = place(episode)
        if key not in asked:
            yield Finding(where, "is no episode that the run was to play")
        if key[0] in tasks and episode.task != tasks[key[0]]:
            yield Finding(where, "its task is not the suite's task of this id")
        if episode.seed != about.seed:
            yield Finding(where, f"was played with seed {episode.seed}, the run has {about.seed}")
        if not same_usage(episode.usage, usage_by_role(episode.calls)):
            yield Finding(where, "its usage is not the sum of its calls")
        for call in episode.calls:
            for problem in call_problems(call, models.get(key[1], {}), weights):
                yield Finding(where, f"call {call.id}: {problem}")
        if key[1] in methods:
            yield from (Finding(where, problem) for problem in strangers(episode, methods[key[1]]))


def same_usage(said: Mapping[str, Usage], now: Mapping[str, Usage]) -> bool:
    """Whether two sums by role agree, seconds up to rounding."""
    if said.keys() != now.keys():
        return False
    pairs = ((msgspec.structs.asdict(said[role]), msgspec.structs.asdict(now[role])) for role in said)
    return all(abs(a[k] - b[k]) <= 1e-6 * max(1.0, abs(b[k])) for a, b in pairs for k in a)


def checkpoints(said: Any) -> dict[str, str]:
    """SHA-256 of the weights of each model, by its URI, where the manifest tells it."""
    models = said.get("models")
    about = models.items() if isinstance(models, dict) else ()
    return {
        uri: str(m["weights"]).removeprefix("sha256:") for uri, m in about if isinstance(m, dict) and "weights" in m
    }


def call_problems(call: Call, models: Mapping[str, str], weights: Mapping[str, str]) -> Iterator[str]:
    """What cannot be right in a call: another checkpoint than the run's, fewer tokens billed than it has."""
    known = weights.get(models.get(call.plugin, ""))
    if known and call.error is None and not lost(call) and not known.startswith(call.checkpoint or "none"):
        yield f"is of checkpoint {short(call.checkpoint)}, the manifest has {known[:16]} for {call.plugin}"
    ids = sum(len(c.ids or ()) for c in call.completions)
    if call.kind == "generate" and call.usage.output < ids:
        yield f"has {ids} sampled token ids, {call.usage.output} are billed"


def strangers(episode: Episode, method: Method) -> Iterator[str]:
    """Calls and critiques of plug-ins that the method does not have."""
    known = {(i.role, i.label) for i in method.instances}
    for call in episode.calls:
        if (call.role, call.plugin) not in known:
            yield f"call {call.id} is of {call.role} {short(call.plugin)}, which the method does not have"
    for critique in critiques(episode):
        if ("critic", critique.critic) not in known:
            yield f"critique {critique.id} is of {short(critique.critic)}, which the method does not have"


def declared(folder: Path, suite: Suite) -> Iterator[Finding]:
    """Whether a declaration names the tasks of the panel that it must."""
    said = read_declaration(folder)
    if said is not None and said.seen != (now := seen(said, suite.tasks)):
        yield Finding(f"{DECLARATION}: seen", f"is {short(said.seen)}, its digests give {short(now)}")
