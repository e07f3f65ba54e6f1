"""Observers: plug-ins that watch a run, behind an error boundary."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from cornerman.errors import UsageError
from cornerman.hookcheck import implementations
from cornerman.hookspecs import Observation
from cornerman.plugins import first_line

Hooks = dict[str, tuple[Callable[..., Any], tuple[str, ...]]]


def observer_hooks(observer: object, name: str) -> Hooks:
    """An observer's hooks and the arguments that each takes; raises `UsageError` for one that could not work."""
    hooks = implementations(observer, Observation, name)
    if not hooks:
        raise UsageError(f"observer '{name}' implements no hook; mark its methods with @cornerman.hookimpl")
    for hook, (function, _) in hooks.items():
        if inspect.iscoroutinefunction(function):
            raise UsageError(f"observer '{name}': {hook} is async; the hooks of observers are plain functions")
    return hooks


class Observers:
    """The observers of a run. One that raises is reported once, by `warn`, and not asked again."""

    def __init__(self, observers: Iterable[object], warn: Callable[[str], None]) -> None:
        named = [(type(o).__name__, o) for o in observers]
        self._hooks = [(name, observer_hooks(o, name)) for name, o in named]
        self._warn = warn

    def tell(self, hook: str, **arguments: Any) -> None:
        """Call a hook of every observer that has it, with the arguments that it takes."""
        for entry in list(self._hooks):
            name, hooks = entry
            if hook not in hooks:
                continue
            function, takes = hooks[hook]
            try:
                function(**{a: arguments[a] for a in takes})
            except Exception as error:
                self._hooks.remove(entry)
                self._warn(f"observer '{name}' raised in {hook} and is dropped: {first_line(error)}")
