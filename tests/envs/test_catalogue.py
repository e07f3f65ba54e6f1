"""What `cornerman list environments` says: every environment, whether it can be used, and the extra that brings it."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cornerman.cli.app import run
from cornerman.plugins import Plugins

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    assert run(["list", "environments", "--json"]) == 0
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)}


def test_every_environment_is_named_with_what_it_lacks(
    plugins: Plugins, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = {entry.name: entry for entry in plugins.registry.entries("environment")}
    for name in {module for entry in entries.values() for module in entry.needs} - {"pydantic"}:  # typer brings that
        monkeypatch.setitem(sys.modules, name, None)  # as good as not installed
    for name in {variable for entry in entries.values() for variable in entry.variables}:
        monkeypatch.delenv(name, raising=False)
    rows = listed(capsys)
    assert list(rows) == list(entries)
    for name, row in rows.items():
        assert row["missing"] == [module for module in entries[name].needs if module != "pydantic"]
        assert row["available"] == (not entries[name].needs and not entries[name].variables)
        assert bool(row["extra"]) == bool(entries[name].needs)
    assert {"cornerman/ALFWorldGen-v1", "cornerman/TextCraft-v1"} <= {n for n, row in rows.items() if row["available"]}


def test_the_extras_are_the_package_s_own(plugins: Plugins) -> None:
    known = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for kind in ("environment", "suite", "experiment"):
        for entry in plugins.registry.entries(kind):
            assert entry.extra is None or entry.extra in known, entry.name


def test_what_is_installed_is_available(plugins: Plugins, capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys)
    for entry in plugins.registry.entries("environment"):
        assert rows[entry.name]["available"] == (not entry.missing and not entry.unset)
        assert rows[entry.name]["assets"] == list(entry.assets)
