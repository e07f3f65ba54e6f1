"""What the tests of the docs need: a command line in an empty folder, with the data that the pages play on."""

from __future__ import annotations

import importlib.metadata
import shutil
from pathlib import Path

import pytest

from cornerman.assets import ASSETS, asset_path, assets_status, wheels_folder
from tests.support.command import CommandLine

ALFWORLD = ASSETS["alfworld"]


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    """The command line, with no plug-in but the built-ins, in a folder and with a cache of its own."""
    return CommandLine(tmp_path, plugin=None)


@pytest.fixture(scope="session")
def alfworld_files() -> Path:
    """A folder that holds what the alfworld wheel holds: the fetched asset, else the installed package."""
    present = next(s.present for s in assets_status() if s.asset is ALFWORLD)
    if present or (wheels_folder() / ALFWORLD.wheel).is_file():
        return asset_path(ALFWORLD.name)
    try:
        installed = importlib.metadata.distribution("alfworld")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the asset 'alfworld' is not here: run `cornerman data alfworld`")
    if installed.version != ALFWORLD.version:
        pytest.skip(f"alfworld {installed.version} is installed, not {ALFWORLD.version}: run `cornerman data alfworld`")
    return Path(str(installed.locate_file("")))


@pytest.fixture
def alfworld(command: CommandLine, alfworld_files: Path) -> CommandLine:
    """The command line with the alfworld asset in its cache; nothing is downloaded."""
    kept = command.folder / "cache" / "assets" / ALFWORLD.folder
    shutil.copytree(alfworld_files / "alfworld", kept / "alfworld")
    return command
