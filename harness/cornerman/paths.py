"""Where Cornerman keeps what it fetched or generated once for all runs."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "CORNERMAN_CACHE"
"""Environment variable that names another cache folder."""


def cache_root() -> Path:
    """The cache folder: `CORNERMAN_CACHE` where it is set, else the user's cache folder of this system.

    The folder need not exist yet. Everything below it can be fetched or generated again.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen).expanduser().absolute() if chosen else Path(platformdirs.user_cache_dir("cornerman", False))
