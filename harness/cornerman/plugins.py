"""Finding plug-ins: entry points one at a time, local files, and what went wrong with each.

A broken plug-in is a warning with its name, origin and reason, and never a dead command line.
`CORNERMAN_PLUGINS=""` loads no entry point but the built-ins, `CORNERMAN_PLUGINS=a,b` only the named ones beside them.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from cornerman.errors import UsageError, did_you_mean
from cornerman.hookspecs import PROJECT, Catalogue
from cornerman.registry import Registry

GROUP = "cornerman"
BUILT_IN = "cornerman"
"""The distribution whose own entry points load whatever `CORNERMAN_PLUGINS` says."""


@dataclass(frozen=True)
class Loaded:
    """A plug-in that was found: where it came from, its version, and why it did not load, if it did not."""

    name: str
    origin: str
    version: str
    problem: str | None = None


@dataclass
class Plugins:
    """The catalogue together with the account of what filled it."""

    registry: Registry = field(default_factory=Registry)
    loaded: list[Loaded] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[Loaded]:
        """Plug-ins that did not load."""
        return [p for p in self.loaded if p.problem]


def first_line(error: BaseException) -> str:
    """Class and first line of an exception."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def implementations(plugin: Any, specs: type, name: str) -> dict[str, tuple[Callable[..., Any], tuple[str, ...]]]:
    """The hooks that a plug-in implements: the function, and the names of the arguments that it takes.

    Raises `UsageError` for a hook that does not exist, and for one with wrong arguments.
    """
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(specs)
    known = [n for n in vars(specs) if not n.startswith("_")]
    try:
        manager.register(plugin, name=name)
    except pluggy.PluginValidationError as error:
        text = " ".join(str(error).split())
        raise UsageError(f"plug-in '{name}': {text}") from None
    unknown = [
        attr
        for attr in dir(plugin)
        if attr not in known and getattr(getattr(plugin, attr, None), f"{PROJECT}_impl", None) is not None
    ]
    if unknown:
        raise UsageError(
            f"plug-in '{name}' implements '{unknown[0]}', which is no hook of a {specs.__name__.lower()} plug-in; "
            f"{did_you_mean(unknown[0], known)}"
        )
    found = {hook: getattr(manager.hook, hook).get_hookimpls() for hook in known}
    return {hook: (impl.function, tuple(impl.argnames)) for hook, impls in found.items() for impl in impls}


def check_hooks(plugin: Any, specs: type, name: str) -> None:
    """Raise `UsageError` when a plug-in implements a hook that does not exist, or with wrong arguments."""
    implementations(plugin, specs, name)


def _enter(plugins: Plugins, module: ModuleType, name: str, origin: str, version: str) -> None:
    registry = plugins.registry
    before, registry.origin = registry.origin, name
    try:
        check_hooks(module, Catalogue, name)
        hook = getattr(module, "register", None)
        if hook is None:
            raise UsageError(f"{origin} has no `register(registry)` marked with @cornerman.hookimpl.")
        hook(registry)
    except Exception as error:
        registry.remove_origin(name)
        problem = str(error) if isinstance(error, UsageError) else first_line(error)
        plugins.loaded.append(Loaded(name, origin, version, problem))
    else:
        plugins.loaded.append(Loaded(name, origin, version))
    finally:
        registry.origin = before


def _wanted() -> set[str] | None:
    text = os.environ.get("CORNERMAN_PLUGINS")
    return None if text is None else {part.strip() for part in text.split(",") if part.strip()}


def _load_entry_points(plugins: Plugins) -> None:
    wanted = _wanted()

    def built_in(point: importlib.metadata.EntryPoint) -> bool:
        return point.dist is not None and point.dist.name == BUILT_IN

    points = sorted(importlib.metadata.entry_points(group=GROUP), key=lambda p: (not built_in(p), p.name))
    for point in points:
        if not built_in(point) and wanted is not None and point.name not in wanted:
            continue
        version = point.dist.version if point.dist else "?"
        origin = f"{point.dist.name if point.dist else '?'} ({point.value})"
        try:
            module = point.load()
        except Exception as error:
            plugins.loaded.append(Loaded(point.name, origin, version, first_line(error)))
        else:
            _enter(plugins, module, point.name, origin, version)


def _load_file(plugins: Plugins, file: str) -> None:
    path = Path(file)
    try:
        if path.suffix == ".py" or path.exists():
            if not path.is_file():
                raise UsageError(f"plug-in file {file} does not exist.")
            name = f"cornerman_file_{path.stem}"
            spec = importlib.util.spec_from_file_location(name, path)
            if spec is None or spec.loader is None:
                raise UsageError(f"plug-in file {file} is not a Python file.")
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(file)
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"plug-in {file} cannot be loaded: {first_line(error)}") from error
    _enter(plugins, module, path.stem, str(file), "local")
    problem = plugins.loaded[-1].problem
    if problem:
        raise UsageError(f"plug-in {file} cannot be used: {problem}")


def load(files: Iterable[str] = ()) -> Plugins:
    """Fill the catalogue: built-ins, then entry points, then the files or modules named by `-p`.

    A file that was asked for by name and does not load is the user's mistake and raises `UsageError`; an installed
    package that does not load is reported in `Plugins.problems`.
    """
    plugins = Plugins()
    _load_entry_points(plugins)
    for file in files:
        plugins.files.append(file)
        _load_file(plugins, file)
    return plugins
