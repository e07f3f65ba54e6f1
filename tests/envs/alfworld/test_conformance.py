"""The conformance kit on generated games, on our engine and on the stock one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cornerman.assets import assets_status
from cornerman.conformance.environment import check_environment
from cornerman.plugins import Plugins


@pytest.mark.parametrize("env", ["cornerman/ALFWorldGen-v1", "cornerman/ALFWorldGenStock-v1"])
def test_every_check_passes(plugins: Plugins, asset: Path, env: str) -> None:
    if not next(s.present for s in assets_status() if s.asset.name == "alfworld"):
        pytest.skip("the asset 'alfworld' is not here: run `cornerman data alfworld`")
    missing = plugins.registry.get("environment", env).missing
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed (extra 'alfworld')")
    report = asyncio.run(check_environment(plugins, env))
    unknown = {"consistent"} if env.endswith("Stock-v1") else set()
    assert {c.name for c in report.checks if c.result != "passed"} == unknown
