"""The one place that imports textworld."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from cornerman.errors import MissingExtra


def require(what: str) -> None:
    """Raise MissingExtra, a sentence with the command that helps, when textworld is not installed."""
    if importlib.util.find_spec("textworld") is None:
        raise MissingExtra(what, "textworld")


def versions() -> dict[str, str]:
    """Versions of what plays the games."""
    return {name: importlib.metadata.version(name) for name in ("textworld", "jericho")}


@functools.cache
def textworld() -> Any:
    """The module. Its import draws from NumPy's global generator, which is put back as it was."""
    state = np.random.get_state()
    try:
        return importlib.import_module("textworld")
    finally:
        np.random.set_state(state)


def start(game: Path, **infos: bool) -> Any:
    """A `textworld.Environment` for the game, asked for those infos.

    The interpreter's generator gets a fixed seed: the games seed it again themselves, but its own default is the time.
    """
    library = textworld()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jericho warns of every game that it has no table for
        environment = library.start(str(game), library.EnvInfos(**infos))
    environment.seed(1)
    return environment
