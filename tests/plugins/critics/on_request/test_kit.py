"""The conformance kit on the critics of this family."""

from __future__ import annotations

import asyncio

import pytest

from cornerman.conformance.plugin import check_plugin
from cornerman.engine.settings import parse_plugin
from cornerman.plugins import load


@pytest.mark.parametrize("critic", ["cafe"])
def test_it_passes_the_kit(critic: str) -> None:
    report = asyncio.run(check_plugin(load().registry.get("critic", critic), parse_plugin(critic, "critic")))
    assert report.failed == []
    assert "plays" in [c.name for c in report.checks if c.result == "passed"]
