"""The conformance kit on every actor, critic, memory, protocol and user that ships, each with its default options."""

from __future__ import annotations

import asyncio

import pytest

from cornerman.cli.check import plugin_entries
from cornerman.conformance.plugin import check_plugin
from cornerman.engine.settings import PluginSettings
from cornerman.plugins import load
from cornerman.registry import Entry

PEOPLE = {"human", "human-critic", "person"}
"""They read the terminal: the kit has nobody to sit there."""
OPTIONS = {"hila": {"expert": "gold"}}
"""Where the defaults need a person: the one who is simulated."""
SCORED = (
    "cgi",
    "dgap",
    "gui-critic-r1",
    "cast",
    "self-refine",
    "supervisor",
    "rlanything",
    "critic-rubrics",
    "expseek",
)
"""Critics whose other way of reading answers, by probabilities, is checked beside their default."""


def cases() -> list[object]:
    """Every plug-in, and again those with another way of reading."""
    entries = [e for e in plugin_entries(load().registry) if e.name not in PEOPLE]
    plain = [pytest.param(e, OPTIONS.get(e.name, {}), id=f"{e.kind}-{e.name}") for e in entries]
    scored = [pytest.param(e, {"read": "scored"}, id=f"{e.name}-scored") for e in entries if e.name in SCORED]
    return [*plain, *scored]


@pytest.mark.parametrize(("entry", "options"), cases())
def test_it_passes_every_check(entry: Entry, options: dict[str, str]) -> None:
    report = asyncio.run(check_plugin(entry, PluginSettings(use=entry.name, options=options)))
    assert {check.name: check.text for check in report.checks if check.result == "failed"} == {}
    assert any(check.result == "passed" and check.name == "plays" for check in report.checks)
