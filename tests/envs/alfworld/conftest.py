"""What the ALFWorld tests need: the wheel's data, generated games, the official games, the stock engine."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from cornerman.assets import ASSETS, asset_path, assets_status, wheels_folder
from cornerman_envs.alfworld.generate import GeneratedGame, generate
from cornerman_envs.alfworld.specs import GameSpec

KITCHEN = GameSpec(10, "pick_heat_then_place_in_recep", "Potato", "CounterTop", seed=3)
BEDROOM = GameSpec(308, "look_at_obj_in_light", "Laptop", "DeskLamp", seed=3)


@pytest.fixture(scope="session")
def asset() -> Path:
    """The unpacked alfworld wheel: the fetched asset, else the installed package; nothing is downloaded."""
    present = next(s.present for s in assets_status() if s.asset.name == "alfworld")
    if present or (wheels_folder() / ASSETS["alfworld"].wheel).is_file():
        return asset_path("alfworld")
    installed = importlib.util.find_spec("alfworld")
    if installed is None or installed.origin is None:
        pytest.skip("the alfworld wheel is not here: run `cornerman data alfworld`")
    return Path(installed.origin).parent.parent


@pytest.fixture(scope="session")
def kitchen(asset: Path) -> GeneratedGame:
    """A large game: heat a potato."""
    return generate(asset, KITCHEN)


@pytest.fixture(scope="session")
def bedroom(asset: Path) -> GeneratedGame:
    """A small game: look at a laptop under a lamp."""
    return generate(asset, BEDROOM)


@pytest.fixture(scope="session")
def official_data() -> Path:
    """The folder of the official games."""
    value = os.environ.get("ALFWORLD_DATA")
    if not value or not (Path(value) / "json_2.1.1").is_dir():
        pytest.skip("ALFWORLD_DATA names no folder with the official games (json_2.1.1)")
    return Path(value)


@pytest.fixture(scope="session")
def stock_engine() -> None:
    """The packages of the stock engine are installed."""
    missing = [name for name in ("textworld", "fast_downward", "alfworld") if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"the stock engine is not installed (no {', '.join(missing)}): pip install 'cornerman[alfworld]'")
