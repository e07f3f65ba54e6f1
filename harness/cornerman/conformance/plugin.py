"""The kit on a plug-in: every check by name, on episodes in the kit's corridor."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import msgspec

from cornerman.conformance.probe import contents
from cornerman.conformance.report import Check, Failed, NotApplicable, Report, perform, require
from cornerman.conformance.season import Cast, cast, timeless
from cornerman.conformance.seeds import generators
from cornerman.conformance.unparsed import unparsed
from cornerman.engine.instance import PRIVILEGED
from cornerman.engine.settings import PluginSettings
from cornerman.records import Episode
from cornerman.registry import Entry


@dataclass
class Trial:
    """A plug-in under test and what was played with it."""

    entry: Entry
    settings: PluginSettings
    made: Cast | None = None
    episodes: list[Episode] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)

    @property
    def cast(self) -> Cast:
        """The method around it."""
        if self.made is None:
            raise NotApplicable("the plug-in cannot be made")
        return self.made

    @property
    def error(self) -> str | None:
        """What ended an episode."""
        return next((e.error or str(e.end) for e in self.episodes if e.error is not None), None)

    def sound(self) -> None:
        """Leave a check out whose episodes ended in an error that another one tells of."""
        if self.cast and self.error is not None:
            raise NotApplicable("an episode ended in an error; see the other checks")


def options(trial: Trial) -> str:
    """Every option has a name and a default, or was given."""
    factory = trial.entry.load()
    parameters = inspect.signature(factory).parameters.values()
    for p in parameters:
        require(
            p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL),
            f"it takes {p}: a misspelt option would pass unnoticed; name every option in the signature",
        )
        require(
            p.default is not p.empty or p.name in trial.settings.options,
            f"option '{p.name}' has no default; give it one, or check {trial.entry.name}:{p.name}=…",
        )
    names = [p.name for p in parameters]
    return f"options with defaults: {', '.join(names)}" if names else "it takes no options"


def hooks(trial: Trial) -> str:
    """It can be made, its hooks are hooks of its role, and `sees` names fields."""
    trial.made = cast(trial.entry, trial.settings)
    return f"hooks: {', '.join(sorted(trial.made.probe.hooks))}"


async def plays(trial: Trial) -> str:
    """Episodes with every moment in them end without an error of the plug-in."""
    watched, before = trial.cast.probe, generators()
    trial.episodes = await trial.cast.play()
    trial.moved = [name for name, state in generators().items() if state != before[name]]
    if trial.error is not None:
        elsewhere = watched.undeclared or any(lossy(state) for state in watched.states)
        raise (NotApplicable if elsewhere else Failed)(trial.error)
    require(bool(watched.asked), "none of its hooks was asked for in three tasks with two attempts each")
    silent = sorted(set(watched.hooks) - watched.asked)
    return f"{len(trial.episodes)} episodes; asked: {', '.join(sorted(watched.asked))}" + (
        f"; not asked here: {', '.join(silent)}" if silent else ""
    )


def declares(trial: Trial) -> str:
    """It reaches for nothing that it does not declare in `sees`, not even to catch the error."""
    watched = trial.cast.probe
    missing = ", ".join(f'"{f}"' for f in sorted(watched.undeclared))
    require(not missing, f"it reached for what it does not declare; add {missing} to its `sees`")
    unused = sorted((watched.sees & PRIVILEGED) - watched.reached)
    said = f"it declares {', '.join(sorted(watched.sees)) or 'nothing'}"
    return said + (f"; {', '.join(unused)} makes it privileged and was not used here" if unused else "")


def json_state(trial: Trial) -> str:
    """`view.state` comes back from JSON as it was."""
    states = trial.cast.probe.states
    problem = next((p for p in map(lossy, states) if p), None)
    if problem is not None:
        raise Failed(f"view.state {problem}; keep lists, dicts with keys of text, text, numbers, true, false or None")
    return "view.state was plain JSON" if states else "it keeps no state"


def lossy(state: object) -> str | None:
    """How a state is not JSON, if it is not."""
    try:
        return None if msgspec.json.decode(msgspec.json.encode(state)) == state else "is changed by JSON"
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        return f"is no JSON: {error}"


async def repeats(trial: Trial) -> str:
    """The same seed gives the same records, in the same instance and in another one."""
    trial.sound()
    first = timeless(trial.episodes)
    for what, again in (("the same instance", trial.cast), ("another instance", cast(trial.entry, trial.settings))):
        second = timeless(await again.play())
        require(first == second, f"{what} did otherwise at the same seed: {parting(first, second)}")
    return "the same seed gave the same records twice, seconds aside"


def parting(first: object, second: object, where: str = "episodes") -> str:
    """The place where two plain values part."""
    if isinstance(first, dict) and isinstance(second, dict):
        key = next(k for k in sorted({*first, *second}) if first.get(k) != second.get(k))
        return parting(first.get(key), second.get(key), f"{where}.{key}")
    if isinstance(first, list) and isinstance(second, list):
        for i, (a, b) in enumerate(zip(first, second, strict=False)):
            if a != b:
                return parting(a, b, f"{where}[{i}]")
        return f"{where} has {len(first)} and then {len(second)} entries"
    return f"{where} is {str(first)[:80]!r} and then {str(second)[:80]!r}"


async def instance_state(trial: Trial) -> str:
    """After an episode the instance holds what it held before; `view.state` is for what an episode needs."""
    made = cast(trial.entry, trial.settings)
    before = contents(made.probe.plugin)
    await made.play()
    after = contents(made.probe.plugin)
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    require(
        not changed,
        f"episodes changed {', '.join(changed)} of the instance, which all episodes share; keep it in view.state, "
        "or in a functools.cached_property when it is the same for all of them",
    )
    return "the instance holds what it held before the episodes"


def global_random(trial: Trial) -> str:
    """It leaves the generators of `random` and `numpy.random` alone."""
    require(bool(trial.episodes), "nothing was played")
    moved = " and ".join(trial.moved)
    require(not moved, f"it drew from or seeded the global generator of {moved}; draw from view.rng()")
    return "the global generators of random and numpy stand where they stood"


async def counts_unparsed(trial: Trial) -> str:
    """What cannot be read is counted as that."""
    trial.sound()
    noisy = cast(trial.entry, trial.settings, noise=True)
    return unparsed(await noisy.play(), noisy.probe)


CHECKS: dict[str, Callable[[Trial], str | Awaitable[str]]] = {
    "options": options,
    "hooks": hooks,
    "plays": plays,
    "declares": declares,
    "json-state": json_state,
    "repeats": repeats,
    "instance-state": instance_state,
    "global-random": global_random,
    "unparsed": counts_unparsed,
}


async def check_plugin(
    entry: Entry, settings: PluginSettings, done: Callable[[Check], None] = lambda check: None
) -> Report:
    """Check an actor, critic, memory, protocol or user; `done` is told of each check as it ends.

    Raises `UsageError` for one that cannot be loaded.
    """
    entry.load()
    trial = Trial(entry, settings)
    checks = []
    for name, look in CHECKS.items():
        checks.append(await perform(name, functools.partial(look, trial)))
        done(checks[-1])
    return Report(entry.kind, entry.name, tuple(checks))
