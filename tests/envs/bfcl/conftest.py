"""What the BFCL tests need: the wheel, and mpmath, which one of its backends imports."""

from __future__ import annotations

import importlib.util

import pytest

from cornerman.assets import ASSETS, assets_status, wheels_folder


@pytest.fixture(scope="session", autouse=True)
def _needs_the_wheel() -> None:
    """The fetched asset or its wheel; nothing is downloaded."""
    if importlib.util.find_spec("mpmath") is None:
        pytest.skip("needs the extra 'tools': pip install 'cornerman[tools]'")
    present = next(s.present for s in assets_status() if s.asset.name == "bfcl-eval")
    if not present and not (wheels_folder() / ASSETS["bfcl-eval"].wheel).is_file():
        pytest.skip("the bfcl-eval wheel is not here: run `cornerman data bfcl-eval`")
