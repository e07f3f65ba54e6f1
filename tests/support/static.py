"""Static sets of runs, and critics scored on them, within this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cornerman import experiment as experiments
from cornerman.plugins import Plugins, load
from cornerman.runner import Options, Run
from cornerman.staticset.asking import ask_all, critics_of
from cornerman.staticset.items import StaticSet, read_set
from cornerman.staticset.making import Made, Wanted, make
from cornerman.staticset.report import Report, report

NOISY = {"use": "noisy-gold", "p": 0.4}


class Bench:
    """A catalogue, a folder for runs and sets, and what the commands do with them, in this process."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.plugins = folder, load([])
        self.steps = 0

    def play(self, suite: str, actor: Any = NOISY, **table: Any) -> Path:
        """A run folder."""
        methods = [{"name": "actor", "actor": actor}]
        wanted = experiments.resolve({"suite": suite, "method": methods} | table, suite, "the test")
        outcome = asyncio.run(Run(self.plugins, wanted, Options(out=self.folder, workers=0, validate=False)).play())
        assert outcome.complete
        return outcome.folder

    def make(self, run: Path, name: str = "set.jsonl", **wanted: Any) -> Made:
        """A set in a file of the folder."""
        return asyncio.run(make(self.plugins, run, self.folder / name, Wanted(**wanted), 0, self._step))

    def read(self, name: str = "set.jsonl") -> StaticSet:
        """A set that was made."""
        return read_set(self.folder / name)

    def score(self, static: StaticSet, *texts: str, **scripted: Callable[..., Any]) -> Report:
        """The report on critics by their text, or on classes by name."""
        plugins: Plugins = load([]) if scripted else self.plugins
        for name, factory in scripted.items():
            plugins.registry.add("critic", name, factory)
        critics = critics_of(plugins, [*texts, *scripted], {})
        return report(static, critics, asyncio.run(ask_all(plugins, static, critics, 0, self._step)))

    def _step(self) -> None:
        self.steps += 1
