"""BabyAI, played with the extra `babyai`."""

from __future__ import annotations

import importlib.util

import pytest


@pytest.fixture(scope="session", autouse=True)
def _needs_minigrid() -> None:
    """No world is made without the extra."""
    if importlib.util.find_spec("minigrid") is None:
        pytest.skip("needs the extra 'babyai': pip install 'cornerman[babyai]'")
