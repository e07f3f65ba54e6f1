"""The catalogue of one command line, loaded once."""

from __future__ import annotations

from typing import Any

from cornerman.cli.output import warn
from cornerman.plugins import Plugins, load


def plugins(ctx: Any) -> Plugins:
    """The catalogue with the files of `-p`, kept on the root context; what did not load is said once, on stderr."""
    root = ctx.find_root()
    if not isinstance(root.obj, dict):
        root.obj = {"files": root.params.get("plugin") or [], "plugins": None}
    loaded = root.obj["plugins"]
    if loaded is None:
        loaded = root.obj["plugins"] = load(root.obj["files"])
        for problem in loaded.problems:
            warn(f"plug-in '{problem.name}' of {problem.origin} was not loaded: {problem.problem}")
    assert isinstance(loaded, Plugins)
    return loaded
