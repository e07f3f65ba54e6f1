"""Runs of the countdown to fork."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import PLUGIN

from cornerman import experiment as experiments
from cornerman.plugins import Plugins, load
from cornerman.runner import Options, Run
from cornerman.worth.measure import Study, Wanted
from cornerman.worth.report import Report


class Folder:
    """A run folder with the catalogue that played it."""

    def __init__(self, plugins: Plugins, path: Path) -> None:
        self.plugins, self.path, self.said = plugins, path, list[str]()
        self.played = 0

    def study(self, **wanted: Any) -> Study:
        """A study of it."""
        return Study(self.plugins, self.path, Wanted(**wanted), 0, self.said.append)

    def report(self, **wanted: Any) -> Report:
        """The report; `played` counts the forks that it took."""
        self.played = 0

        def step() -> None:
            self.played += 1

        return asyncio.run(self.study(**wanted).report(step))


@pytest.fixture
def played(tmp_path: Path) -> Any:
    """Play an experiment's table on the countdown, with plug-in classes by `kind_name`."""

    def play(*methods: dict[str, Any], limit: int = 8, plugins: dict[str, Any] | None = None, **table: Any) -> Folder:
        loaded = load([str(PLUGIN)])
        for name, factory in (plugins or {}).items():
            kind, _, rest = name.partition("_")
            loaded.registry.add(kind, rest.replace("_", "-"), factory)  # type: ignore[arg-type]
        wanted = experiments.resolve(
            {"suite": "count-smoke", "limit": limit, "method": list(methods)} | table, "worth", "the test"
        )
        outcome = asyncio.run(Run(loaded, wanted, Options(out=tmp_path, workers=0, validate=False)).play())
        assert outcome.complete
        return Folder(loaded, outcome.folder)

    return play
