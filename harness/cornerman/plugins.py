"""Finding plug-ins: entry points one at a time, local files, and what went wrong with each.

A broken plug-in is a warning with its name, origin and reason, and never a dead command line.
`CORNERMAN_PLUGINS=""` loads no entry point but the built-ins, `CORNERMAN_PLUGINS=a,b` only the named ones beside them.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from cornerman.errors import UsageError, did_you_mean
from cornerman.hookcheck import implementations
from cornerman.hookspecs import Catalogue
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


def _enter(plugins: Plugins, module: Any, owner: str, name: str, origin: str, version: str) -> None:
    """Let a plug-in register; `owner` stands in the catalogue. One that fails leaves nothing behind."""
    registry = plugins.registry
    before, kept = registry.origin, registry.snapshot()
    registry.origin = owner
    problem = None
    try:
        hooks = implementations(module, Catalogue, name)
        if "register" not in hooks:
            raise UsageError("it has no register(registry) marked with @cornerman.hookimpl")
        function, arguments = hooks["register"]
        function(*[registry for _ in arguments])
    except (Exception, SystemExit) as error:
        registry.restore(kept)
        problem = str(error) if isinstance(error, UsageError) else first_line(error)
    finally:
        registry.origin = before
    plugins.loaded.append(Loaded(name, origin, version, problem))


def _wanted() -> set[str] | None:
    text = os.environ.get("CORNERMAN_PLUGINS")
    return None if text is None else {part.strip() for part in text.split(",") if part.strip()}


def _load_entry_points(plugins: Plugins) -> None:
    wanted = _wanted()

    def built_in(point: importlib.metadata.EntryPoint) -> bool:
        return point.dist is not None and point.dist.name == BUILT_IN

    points = sorted(importlib.metadata.entry_points(group=GROUP), key=lambda p: (not built_in(p), p.name))
    strangers = {p.name for p in points if not built_in(p)}
    for point in points:
        if not built_in(point) and wanted is not None and point.name not in wanted:
            continue
        owner, version = (point.dist.name, point.dist.version) if point.dist else ("?", "?")
        origin = f"{owner} ({point.value})"
        try:
            module = point.load()
        except (Exception, SystemExit) as error:
            plugins.loaded.append(Loaded(point.name, origin, version, first_line(error)))
        else:
            _enter(plugins, module, owner, point.name, origin, version)
    for name in sorted((wanted or set()) - strangers):
        problem = f"no installed plug-in has this name; {did_you_mean(name, strangers)}"
        plugins.loaded.append(Loaded(name, "CORNERMAN_PLUGINS", "?", problem))


def _load_file(plugins: Plugins, file: str) -> None:
    """Load a file or module that the user named; whatever is wrong with it is said in one sentence."""
    path = Path(file)
    is_file = path.suffix == ".py" or path.is_file() or os.sep in file
    if is_file:
        _refuse_missing(path, file)
    try:
        module = _import_file(path) if is_file else importlib.import_module(file)
    except (Exception, SystemExit) as error:
        raise UsageError(f"plug-in {file} cannot be loaded: {first_line(error)}") from error
    _enter(plugins, module, file, path.stem if is_file else file, file, "local")
    problem = plugins.loaded[-1].problem
    if problem:
        raise UsageError(f"plug-in {file} cannot be used: {problem}")


def _refuse_missing(path: Path, file: str) -> None:
    if path.is_dir():
        raise UsageError(f"plug-in {file} is a folder; name a file in it, or a module that can be imported.")
    if not path.is_file():
        near = [str(p) for p in path.parent.glob("*.py")] if path.parent.is_dir() else []
        hint = did_you_mean(str(path), near) if near else "no Python file lies there."
        raise UsageError(f"plug-in file {file} does not exist; {hint}")


def _import_file(path: Path) -> ModuleType:
    """Import a file as a module of its own; two files of one name do not meet."""
    path = path.resolve()
    name = f"cornerman_file_{path.stem}_{hashlib.blake2b(bytes(path), digest_size=4).hexdigest()}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and type hints look their module up here
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def load(files: Iterable[str] = ()) -> Plugins:
    """Fill the catalogue: built-ins, then entry points, then the files or modules named by `-p`, each once.

    A file that was asked for by name and does not load is the user's mistake and raises `UsageError`; an installed
    package that does not load is reported in `Plugins.problems`.
    """
    plugins = Plugins()
    _load_entry_points(plugins)
    for file in dict.fromkeys(files):
        plugins.files.append(file)
        _load_file(plugins, file)
    return plugins
