"""The conformance kit on the settings of tau2."""

from __future__ import annotations

import asyncio

import pytest

from cornerman.conformance.environment import check_environment
from cornerman.plugins import Plugins


@pytest.mark.parametrize("env", ["cornerman/Tau2TelecomSolo-v1", "cornerman/Tau2Telecom-v1"])
def test_every_check_passes(plugins: Plugins, env: str) -> None:
    report = asyncio.run(check_environment(plugins, env))
    assert [c for c in report.checks if c.result == "failed"] == []
