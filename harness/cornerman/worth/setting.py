"""A run as forks of it need it: its methods as they are now, what their memories held, environments and models."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from cornerman.engine.context import Bench, MemoryItem
from cornerman.engine.method import Method
from cornerman.memory import Ledger
from cornerman.models import Models
from cornerman.plugins import Plugins
from cornerman.records import Episode
from cornerman.runner import AT_ONCE, Options, Run, check_files, check_models, check_panel
from cornerman.store import read_experiment
from cornerman.workers.pool import Pool

Held = dict[tuple[str, int], tuple[MemoryItem, ...]]
"""What a memory held as each episode began, by task and trial."""


class Setting:
    """A run opened for forks; nothing is played yet."""

    def __init__(self, plugins: Plugins, folder: Path, workers: int | None, say: Callable[[str], None]) -> None:
        """Raises `UsageError` for what is no run, and for one whose suite, rules or plug-in files are others by now."""
        self.plugins, self.folder = plugins, folder
        self.workers = min(AT_ONCE, os.cpu_count() or 1) if workers is None else workers
        self.run = Run(plugins, read_experiment(folder), Options(out=folder.parent, workers=workers), say=say)
        about = check_panel(folder, self.run.suite, say)
        check_files(folder, about, plugins)

    def held(self, method: Method, episodes: Sequence[Episode]) -> Held:
        """What a method's memory held. Episodes whose beginning waits for others that are not recorded are left out."""
        memory = method.memory
        if memory is None:
            return {}
        tasks = {task.id: i for i, task in enumerate(self.run.suite.tasks)}
        start = self.run.memories.get(method.name, ())
        held: Held = {}
        for trial in {e.trial for e in episodes}:
            ledger = Ledger(memory.settings.mode, memory.settings.round, len(tasks), start)
            here = [e for e in episodes if e.trial == trial]
            for episode in here:
                ledger.record(tasks[episode.task.id], episode.memory)
            for episode in here:
                if ledger.ready(tasks[episode.task.id]):
                    held[episode.task.id, trial] = ledger.entries(tasks[episode.task.id])
        return held

    def at_once(self) -> int:
        """Forks at once: with environments in workers no more than there are of them."""
        specs = [self.plugins.registry.get("environment", e).load() for e in {t.env for t in self.run.suite.tasks}]
        return AT_ONCE if not self.workers or all(s.light for s in specs) else self.workers

    @asynccontextmanager
    async def bench(self, method: Method) -> AsyncIterator[Bench]:
        """Environments and models to fork a method's episodes with. Raises `UsageError` where a model is not there."""
        pool = Pool(self.plugins, self.workers)
        models = Models(self.plugins.registry)
        experiment = self.run.experiment
        try:
            check_models([method], models)
            yield Bench(sessions=pool, model=models, limits=experiment.limits, prices=experiment.prices)
        finally:
            await pool.close()
            await models.aclose()
