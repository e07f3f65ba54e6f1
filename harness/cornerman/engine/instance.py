"""A plug-in instance in a method: its validated hooks, its settings, and the error boundary around it."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
import traceback
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from cornerman.choices import converted
from cornerman.engine import triggers
from cornerman.engine.answers import R, checked, fault, several
from cornerman.engine.branch import Branch
from cornerman.engine.calls import BoundModel
from cornerman.engine.overflow import shortened, truncating
from cornerman.engine.redaction import Shows
from cornerman.engine.settings import KNOWN, SAMPLING_KEYS, PluginSettings
from cornerman.engine.view import UserView, View
from cornerman.engine.window import Window
from cornerman.engine.wrappers import Shuffler
from cornerman.errors import BarrierError, CornermanError, EpisodeError, UsageError, did_you_mean
from cornerman.hookcheck import Hooks, implementations, signature
from cornerman.hookspecs import Trajectory
from cornerman.records import Field, Role
from cornerman.registry import Registry

FIELDS: tuple[str, ...] = typing.get_args(Field)
PRIVILEGED = frozenset({"gold", "hidden", "score"})
"""What no agent has at test time; a method with any of it stands apart on every board."""


@dataclass
class Instance:
    """One plug-in of a method. Holds no episode's data: `view.state` does.

    `sees` is what the plug-in declared; `uses` what its trigger and wrapper see beside it, which its view lacks.
    """

    plugin: object
    role: Role
    settings: PluginSettings
    model: str | None = None
    fixed: dict[str, Any] = field(default_factory=dict)
    sees: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    hooks: Hooks = field(default_factory=dict)
    shuffler: Shuffler | None = None

    @property
    def label(self) -> str:
        """The instance's name within its method."""
        return self.settings.name

    @functools.cached_property
    def key(self) -> str:
        """Names the instance in states and seeds.

        A method has one actor, memory, protocol and user, so their labels stay out: the same actor under another label
        draws the same numbers.
        """
        return f"critic/{self.label}" if self.role == "critic" else self.role

    @functools.cached_property
    def shows(self) -> Shows:
        """Which parts of recorded turns its information set includes."""
        return Shows(
            admissible="admissible" in self.sees,
            score="score" in self.sees,
            logprobs="logprobs" in self.sees,
            critic=self.label if self.role == "critic" else None,
            unheard=self.role == "protocol",
        )

    def has(self, hook: str) -> bool:
        """Whether the plug-in implements a hook."""
        return hook in self.hooks

    def view(self, branch: Branch) -> Window:
        """This instance's window on an attempt."""
        return UserView(branch, self) if self.role == "user" else View(branch, self)

    def bind(self, branch: Branch) -> BoundModel:
        """The instance's model at this place."""
        if self.model is None:
            flag = self.role if self.role in ("actor", "memory", "user") else self.label
            raise UsageError(
                f"{self.role} '{self.label}' needs a model: add --model {flag}=smollm2 or another model URI"
            )
        return BoundModel(branch, branch.scope.bench.model(self.model), self)

    # -- the error boundary

    def call(self, hook: str, **arguments: Any) -> Any:
        """Call a hook with the arguments that the plug-in takes; the answer may be awaitable. Errors are attributed."""
        function, names = self.hooks[hook]
        given = [arguments[n] for n in names]
        try:
            answer = function(*given)
            if inspect.isawaitable(answer) and (branch := truncating(arguments["view"])):
                return shortened(branch, self.key, answer, lambda: function(*given))
            return answer
        except BaseException as error:
            blamed = self.blame(hook, error)
            if blamed is error:
                raise
            raise blamed from error

    async def ask(self, hook: str, **arguments: Any) -> Any:
        """Call a hook and await its answer."""
        answer = self.call(hook, **arguments)
        return await self.settle(hook, answer) if inspect.isawaitable(answer) else answer

    async def settle(self, hook: str, answer: Any) -> Any:
        """Await a hook's answer within the error boundary."""
        try:
            return await answer
        except BaseException as error:
            blamed = self.blame(hook, error)
            if blamed is error:
                raise
            raise blamed from error

    async def timed(self, hook: str, answer: Any, started: float) -> tuple[Any, float]:
        """Await a hook's answer or its error, and the seconds since it was asked."""
        try:
            value = await self.settle(hook, answer)
        except (EpisodeError, UsageError) as error:
            value = error
        return value, time.perf_counter() - started

    def place(self, error: BaseException) -> str:
        """The line of the plug-in's own module at which an exception passed, for the sentence that reports it."""
        module = inspect.getmodule(type(self.plugin))
        file = getattr(module, "__file__", None)
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
        return f" (line {lines[-1]} of {Path(file).name})" if file and lines else ""

    def blame(self, hook: str, error: BaseException) -> BaseException:
        """The episode error that stands for what a hook raised; errors that have a class already keep it.

        Everything is the plug-in's: SystemExit, a panic in a native library, a CancelledError of its own making. Only
        an interrupt from the keyboard and the cancellation of the episode itself go on as they are.
        """
        if isinstance(error, (EpisodeError, UsageError, KeyboardInterrupt, GeneratorExit)):
            return error
        if isinstance(error, asyncio.CancelledError) and cancelled():
            return error
        if isinstance(error, BarrierError):
            return fault(self.role, str(error))
        return self.fault(f"raised in {hook}{self.place(error)}: {type(error).__name__}: {error}")

    def fault(self, text: str) -> EpisodeError:
        """An error of this plug-in's."""
        return fault(self.role, f"{self.role} '{self.label}' {text}")

    def checked(self, answer: Any, kind: type[R], hook: str) -> R:
        """A record that the plug-in answered, checked."""
        return checked(answer, kind, self.role, self.label, hook)

    def several(self, answer: Any, kind: type[R], hook: str) -> list[R]:
        """None, one or several records that the plug-in answered, checked."""
        return several(answer, kind, self.role, self.label, hook)


def cancelled() -> bool:
    """Whether somebody asked for the end of the running asyncio task, as a time limit does."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def check_options(
    name: str, factory: Callable[..., Any], options: dict[str, Any], settings: Sequence[str] = ()
) -> dict[str, Any]:
    """Options converted to the factory's annotated types; an unknown one is answered with the nearest known ones.

    A table for an option whose default is a struct changes the fields that it names, and leaves the others as they are.

    settings: names that stand beside options and may have been meant, such as `trigger`.
    """
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
            if not known and not settings:
                raise UsageError(f"'{name}' has no option '{key}'; it takes none.")
            takes = ", ".join(known) or "none"
            hint = did_you_mean(key, [*known, *settings])
            raise UsageError(f"'{name}' has no option '{key}' (it takes {takes}); {hint}")
        default = parameters[key].default
        if isinstance(default, msgspec.Struct) and isinstance(value, Mapping):
            value = msgspec.to_builtins(default) | dict(value)
        try:
            out[key] = converted(value, hints.get(key, Any), strict=False)
        except msgspec.ValidationError as error:
            raise UsageError(f"option '{key}' of '{name}': {error}") from error
        except TypeError:
            out[key] = value
    missing = [n for n in known if parameters[n].default is inspect.Parameter.empty and n not in out]
    if missing:
        raise UsageError(f"'{name}' needs the option '{missing[0]}': {name}:{missing[0]}=…")
    return out


SPOKEN = ("review_action", "answer_request", "review_turn", "review_attempt")
ASKED: dict[str, tuple[str, ...]] = {
    "actor": ("on_task_start", "transform_observation", "act", "revise"),
    "critic": ("on_task_start", "transform_observation", *SPOKEN),
    "memory": ("on_task_start", "transform_observation", "on_task_end"),
    "protocol": ("on_task_start", "transform_observation", "plan_attempts"),
    "user": ("reply_as_user",),
}
"""The hooks that each role is asked."""
OWED = {"actor": "act", "protocol": "plan_attempts", "user": "reply_as_user"}


def validate_hooks(plugin: object, role: Role, name: str) -> Hooks:
    """The hooks that a plug-in implements and its role is asked; a misspelt hook or argument fails here."""
    hooks = {h: f for h, f in implementations(plugin, Trajectory, name).items() if h in ASKED[role]}
    if role in OWED and OWED[role] not in hooks:
        raise UsageError(f"{role} '{name}' does not implement {signature(Trajectory, OWED[role])}")
    if not hooks:
        raise UsageError(f"{role} '{name}' implements no hook that a {role} is asked: {', '.join(ASKED[role])}")
    return hooks


DEFAULT_SEES: dict[str, tuple[str, ...]] = {
    "actor": ("history", "admissible", "policy"),
    "critic": ("history",),
    "memory": ("history", "attempts"),
    "protocol": ("attempts",),
    "user": (),
}


def build(registry: Registry, role: Role, settings: PluginSettings, model: str | None = None) -> Instance:
    """Make a plug-in instance from its settings. `model` is the URI to use where the settings name none."""
    kind: Any = role
    factory = registry.get(kind, settings.use).load()
    options = check_options(settings.use, factory, settings.options, KNOWN)
    try:
        plugin = factory(**options)
    except CornermanError:
        raise
    except Exception as error:
        kinds = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise UsageError(f"{role} '{settings.use}' cannot be made: {kinds}{error}") from error
    uri, fixed = split_sampling(settings.model or model)
    return Instance(
        plugin=plugin,
        role=role,
        settings=settings,
        model=uri,
        fixed=fixed,
        sees=declared(plugin, role, settings.use),
        uses=triggers.information(settings) | (frozenset({"gold"}) if settings.wrap.use == "oracle" else frozenset()),
        hooks=spoken(plugin, validate_hooks(plugin, role, settings.name), role, settings.use),
    )


def spoken(plugin: object, hooks: Hooks, role: Role, name: str) -> Hooks:
    """The hooks less those of `SPOKEN` that the instance's options leave out: a plug-in says so by `speaks`.

    It is then never asked there, so that a moment at which it could not have spoken is none at which it kept silent.
    """
    speaks = getattr(plugin, "speaks", None)
    if speaks is None:
        return hooks
    unknown = next((h for h in speaks if h not in hooks), None) if not isinstance(speaks, str) else speaks
    if unknown is not None:
        raise UsageError(
            f"{role} '{name}': `speaks` is a tuple of hooks that it implements, as in "
            f'speaks = ("review_turn",); {did_you_mean(str(unknown), list(hooks))}'
        )
    return {h: f for h, f in hooks.items() if h not in SPOKEN or h in speaks}


def declared(plugin: object, role: Role, name: str) -> frozenset[str]:
    """The information set that a plug-in declares in `sees`, or its role's usual one."""
    sees = getattr(plugin, "sees", DEFAULT_SEES[role])
    if isinstance(sees, str) or not isinstance(sees, Iterable):
        raise UsageError(f"{role} '{name}': `sees` is a tuple of names, as in sees = (\"history\",), not {sees!r}")
    fields = list(sees)
    if role == "user" and fields:
        raise UsageError(f"user '{name}' declares to see {', '.join(map(str, fields))}; a user sees its message alone")
    unknown = next((f for f in fields if f not in FIELDS), None)
    if unknown is not None:
        raise UsageError(f"{role} '{name}' sees '{unknown}'; {did_you_mean(str(unknown), FIELDS)}")
    return frozenset(fields)


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
