"""The conformance kit on every critic of this family, with a model that writes and one that scores."""

from __future__ import annotations

import asyncio

import pytest

from cornerman.conformance.plugin import check_plugin
from cornerman.engine.settings import parse_plugin
from cornerman.plugins import load


@pytest.mark.parametrize(
    "critic",
    [
        "cgi",
        "cgi:read=scored",
        "dgap",
        "gui-critic-r1",
        "cast",
        "gaia",
        "gaia:read=written",
        "self-consistency",
        "random-pick",
        "self-refine",
        "self-refine:read=scored",
    ],
)
def test_it_passes_the_kit(critic: str) -> None:
    settings = parse_plugin(critic, "critic")
    report = asyncio.run(check_plugin(load().registry.get("critic", settings.use), settings))
    assert report.failed == []
    assert "plays" in [c.name for c in report.checks if c.result == "passed"]
