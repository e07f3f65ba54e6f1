"""Machines need a Java runtime and py4j."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator

import pytest

from cornerman_envs.java.lending import end_idle


@pytest.fixture(scope="module", autouse=True)
def _needs_java() -> Iterator[None]:
    """Skip where there is none; leave no machine behind."""
    if importlib.util.find_spec("py4j") is None:
        pytest.skip("needs the extra 'scienceworld' or 'twx': pip install 'cornerman[scienceworld,twx]'")
    if shutil.which("java") is None:
        pytest.skip("needs a Java runtime")
    yield
    end_idle()
