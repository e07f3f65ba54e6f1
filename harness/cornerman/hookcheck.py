"""Checks of a plug-in's hooks before it is used: a misspelt hook, a wrong argument or a missing mark fails at once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pluggy

from cornerman.errors import UsageError, did_you_mean
from cornerman.hookspecs import PROJECT

Hooks = dict[str, tuple[Callable[..., Any], tuple[str, ...]]]
"""The function of each hook that a plug-in implements, and the arguments that it takes."""


class Manager(pluggy.PluginManager):
    """pluggy's manager; looks at no property, which may load a model when it is asked for."""

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> Any:
        """The options of a marked method, None for everything else."""
        if isinstance(inspect.getattr_static(plugin, name, None), (property, functools.cached_property)):
            return None
        return super().parse_hookimpl_opts(plugin, name)


def hook_names(specs: type) -> list[str]:
    """The hooks of a specification class."""
    return [n for n in vars(specs) if not n.startswith("_")]


def signature(specs: type, hook: str) -> str:
    """A hook as its implementation may be written: `review_turn(view, turn)`."""
    return f"{hook}({', '.join(_arguments(specs, hook))})"


def _arguments(specs: type, hook: str) -> list[str]:
    return [p for p in inspect.signature(getattr(specs, hook)).parameters if p != "self"]


def implementations(plugin: Any, specs: type, name: str) -> Hooks:
    """The hooks that a plug-in implements. Raises `UsageError` for whatever pluggy or the engine could not call."""
    manager = Manager(PROJECT)
    manager.add_hookspecs(specs)
    known = hook_names(specs)
    arguments: dict[str, tuple[str, ...]] = {}
    for attribute in dir(plugin):
        options = manager.parse_hookimpl_opts(plugin, attribute)
        if options is not None:
            hook = _check(specs, name, attribute, options)
            arguments[hook] = _taken(getattr(plugin, attribute), specs, name, hook)
        elif attribute in known and inspect.isroutine(inspect.getattr_static(plugin, attribute)):
            raise UsageError(
                f"plug-in '{name}': {attribute} has the name of a hook and would never be called; "
                "mark it with @cornerman.hookimpl (in a subclass too), or name it otherwise"
            )
    try:
        manager.register(plugin, name=name)
    except pluggy.PluginValidationError as error:
        raise UsageError(f"plug-in '{name}': {' '.join(str(error).split())}") from None
    callers = {hook: getattr(manager.hook, hook).get_hookimpls() for hook in arguments}
    return {hook: (impl.function, arguments[hook]) for hook, impls in callers.items() for impl in impls}


def _check(specs: type, name: str, attribute: str, options: Any) -> str:
    """The hook that a marked method implements."""
    hook: str = options.get("specname") or attribute
    known = hook_names(specs)
    if hook not in known:
        kind = specs.__name__.lower()
        raise UsageError(
            f"plug-in '{name}' implements '{hook}', which is no hook of a {kind} plug-in; {did_you_mean(hook, known)}"
        )
    if options.get("wrapper") or options.get("hookwrapper"):
        raise UsageError(f"plug-in '{name}': {hook} is a hook wrapper; every plug-in is asked for itself, so drop that")
    return hook


def _taken(function: Any, specs: type, name: str, hook: str) -> tuple[str, ...]:
    """The arguments that a hook's implementation takes, in its order. Decorated functions are seen through."""
    allowed = _arguments(specs, hook)
    taken = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        given, owed = parameter.name in allowed, parameter.default is parameter.empty
        if given and owed and parameter.kind is not parameter.KEYWORD_ONLY:
            taken.append(parameter.name)
        elif given or owed:
            wrong = "with a default or as a keyword, and would not be given it" if given else "which it is not given"
            raise UsageError(
                f"plug-in '{name}': {hook} takes '{parameter.name}', {wrong}; the hook is {signature(specs, hook)}"
            )
    return tuple(taken)
