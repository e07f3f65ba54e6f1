"""A plug-in instance in a method: its validated hooks, its settings, and the error boundary around it."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from cornerman.engine import triggers
from cornerman.engine.branch import Branch, Shows
from cornerman.engine.calls import BoundModel
from cornerman.engine.settings import SAMPLING_KEYS, PluginSettings
from cornerman.engine.view import View
from cornerman.engine.wrappers import Shuffler
from cornerman.errors import ActorError, BarrierError, CriticError, EpisodeError, UsageError, did_you_mean
from cornerman.hookspecs import Trajectory
from cornerman.plugins import implementations
from cornerman.records import Field, Role
from cornerman.registry import Registry

FIELDS: tuple[str, ...] = typing.get_args(Field)
PRIVILEGED = frozenset({"gold", "hidden", "score"})
"""What no agent has at test time; a method with any of it stands apart on every board."""


@dataclass
class Instance:
    """One plug-in of a method. Holds no episode's data: `view.state` does."""

    plugin: object
    role: Role
    settings: PluginSettings
    model: str | None = None
    fixed: dict[str, Any] = field(default_factory=dict)
    sees: frozenset[str] = frozenset()
    hooks: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = field(default_factory=dict)
    shuffler: Shuffler | None = None

    @property
    def label(self) -> str:
        """The instance's name within its method."""
        return self.settings.name

    @functools.cached_property
    def shows(self) -> Shows:
        """Which parts of recorded turns its information set includes."""
        return Shows(admissible="admissible" in self.sees, score="score" in self.sees, logprobs="logprobs" in self.sees)

    def has(self, hook: str) -> bool:
        """Whether the plug-in implements a hook."""
        return hook in self.hooks

    def view(self, branch: Branch) -> View:
        """This instance's window on an attempt."""
        return View(branch, self)

    def bind(self, branch: Branch) -> BoundModel:
        """The instance's model at this place."""
        if self.model is None:
            flag = self.role if self.role in ("actor", "memory") else self.label
            raise UsageError(
                f"{self.role} '{self.label}' needs a model: add --model {flag}=smollm2 or another model URI"
            )
        return BoundModel(branch, branch.scope.bench.model(self.model), self.role, self.label, self.fixed)

    def call(self, hook: str, **arguments: Any) -> Any:
        """Call a hook with the arguments that the plug-in takes; the answer may be awaitable. Errors are attributed."""
        function, names = self.hooks[hook]
        try:
            return function(*[arguments[n] for n in names])
        except (Exception, SystemExit) as error:
            raise self.blame(hook, error) from error

    async def ask(self, hook: str, **arguments: Any) -> Any:
        """Call a hook and await its answer."""
        answer = self.call(hook, **arguments)
        return await self.settle(hook, answer) if inspect.isawaitable(answer) else answer

    async def settle(self, hook: str, answer: Any) -> Any:
        """Await a hook's answer within the error boundary."""
        try:
            return await answer
        except (Exception, SystemExit) as error:
            raise self.blame(hook, error) from error

    def blame(self, hook: str, error: BaseException) -> BaseException:
        """The episode error that stands for what a hook raised; errors that have a class already keep it."""
        if isinstance(error, (EpisodeError, UsageError)):
            return error
        kind = ActorError if self.role == "actor" else CriticError
        if isinstance(error, BarrierError):
            return kind(str(error))
        return kind(f"{self.role} '{self.label}' raised in {hook}: {type(error).__name__}: {error}")


def check_options(name: str, factory: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """Options converted to the factory's annotated types; an unknown one is answered with the nearest known ones."""
    parameters = inspect.signature(factory).parameters
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    known = [n for n, p in parameters.items() if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    target = factory.__init__ if inspect.isclass(factory) else factory
    try:
        hints = typing.get_type_hints(target)
    except (NameError, TypeError):
        hints = {}
    out = {}
    for key, value in options.items():
        if key not in known:
            if open_ended:
                out[key] = value
                continue
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise UsageError(f"'{name}' has no option '{key}' ({takes}); {did_you_mean(key, known)}")
        try:
            out[key] = msgspec.convert(value, hints.get(key, Any), strict=False)
        except msgspec.ValidationError as error:
            raise UsageError(f"option '{key}' of '{name}': {error}") from error
        except TypeError:
            out[key] = value
    missing = [n for n in known if parameters[n].default is inspect.Parameter.empty and n not in out]
    if missing:
        raise UsageError(f"'{name}' needs the option '{missing[0]}': {name}:{missing[0]}=…")
    return out


def validate_hooks(plugin: object, name: str) -> dict[str, tuple[Callable[..., Any], tuple[str, ...]]]:
    """The plug-in's hooks, validated by pluggy: a misspelt hook or argument fails here, with the signature."""
    hooks = implementations(plugin, Trajectory, name)
    if not hooks:
        raise UsageError(
            f"plug-in '{name}' implements no hook; mark its methods with @cornerman.hookimpl (see docs/plugins.md)"
        )
    return hooks


DEFAULT_SEES: dict[str, tuple[str, ...]] = {
    "actor": ("history", "admissible", "policy"),
    "critic": ("history",),
    "memory": ("history", "attempts"),
    "protocol": ("attempts",),
}


def build(registry: Registry, role: Role, settings: PluginSettings, model: str | None = None) -> Instance:
    """Make a plug-in instance from its settings. `model` is the URI to use where the settings name none."""
    kind: Any = role
    factory = registry.get(kind, settings.use).load()
    options = check_options(settings.use, factory, settings.options)
    try:
        plugin = factory(**options)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{role} '{settings.use}' cannot be made: {error}") from error
    declared = getattr(plugin, "sees", DEFAULT_SEES.get(role, ()))
    unknown = [f for f in declared if f not in FIELDS]
    if unknown:
        raise UsageError(f"{role} '{settings.use}' sees '{unknown[0]}'; {did_you_mean(unknown[0], FIELDS)}")
    sees = frozenset(declared) | triggers.information(settings)
    if settings.wrap.use == "oracle":
        sees |= {"gold"}
    uri, fixed = split_sampling(settings.model or model)
    return Instance(
        plugin=plugin,
        role=role,
        settings=settings,
        model=uri,
        fixed=fixed,
        sees=sees,
        hooks=validate_hooks(plugin, settings.name),
    )


def split_sampling(uri: str | None) -> tuple[str | None, dict[str, Any]]:
    """A model URI without its sampling options, and those options."""
    if uri is None:
        return None, {}
    head, *parts = uri.split(",")
    keep, fixed = [head], {}
    for part in parts:
        key, _, value = part.partition("=")
        if key in SAMPLING_KEYS:
            try:
                fixed[key] = int(value) if key == "max_tokens" else float(value)
            except ValueError:
                raise UsageError(f"model '{uri}': {key}={value} is no number") from None
        else:
            keep.append(part)
    return ",".join(keep), fixed
