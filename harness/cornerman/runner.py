"""A run from its experiment to its summary: build, check, play, and leave a folder behind."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cornerman.engine.context import Bench
from cornerman.engine.method import Method, build_method
from cornerman.engine.wrappers import Shuffler, utterances
from cornerman.errors import UsageError
from cornerman.experiment import Experiment
from cornerman.manifest import environment_versions, manifest
from cornerman.models import Models
from cornerman.parquet import write_parquet
from cornerman.plugins import Plugins
from cornerman.records import Role
from cornerman.rollout import Plan, Rollout, plan
from cornerman.store import MANIFEST, SUMMARY, Writer, iterate
from cornerman.suites import Suite, digest_of
from cornerman.summary import Summary, summarise
from cornerman.validate import Validation, is_validated, mark_validated, validate
from cornerman.workers.pool import Pool


@dataclass(frozen=True)
class Options:
    """How an experiment is run; none of it changes what is computed.

    workers: environment processes. episodes: episodes under way at once. calls: model calls under way at once, by
    role. validate: whether gold must win the suite first, once a machine and version.
    """

    out: Path = Path("runs")
    workers: int = 1
    episodes: int | None = None
    calls: Mapping[Role, int] = field(default_factory=dict)
    validate: bool = True


@dataclass(frozen=True)
class Outcome:
    """What a run left: its folder, its summary, and whether every requested episode is recorded."""

    folder: Path
    summary: Summary
    complete: bool


def build_methods(plugins: Plugins, experiment: Experiment) -> list[Method]:
    """Every method of the experiment, its shuffled controls supplied with what they draw from."""
    methods = [build_method(plugins.registry, m, dict(experiment.models)) for m in experiment.method]
    for critic in (c for m in methods for c in m.critics):
        wrap = critic.settings.wrap
        if wrap.use == "shuffled":
            if wrap.run is None:
                raise UsageError(
                    f"critic '{critic.label}': wrap 'shuffled' needs the run to draw from, as in wrap.run=DIR"
                )
            critic.shuffler = Shuffler(wrap.run, utterances(list(iterate(Path(wrap.run)))))
    return methods


def check_models(methods: Sequence[Method], models: Models) -> None:
    """Open every model before the first episode, so that a missing one ends the run at once and not each episode."""
    for method in methods:
        for uri in sorted(method.models):
            models(uri)


class Run:
    """One run: resumes what its folder holds and plays the rest."""

    def __init__(
        self,
        plugins: Plugins,
        experiment: Experiment,
        options: Options,
        observers: Sequence[object] = (),
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.plugins, self.experiment, self.options = plugins, experiment, options
        self.observers, self.say = observers, say
        self.suite: Suite = experiment.tasks(plugins.registry)
        self.methods = build_methods(plugins, experiment)
        self.folder = options.out / experiment.name
        self.rollout: Rollout | None = None

    async def play(self, validated: Callable[[Validation], None] = lambda result: None) -> Outcome:
        """Run to the end, or until `stop`; the folder is complete and valid in either case."""
        for env in {task.env for task in self.suite.tasks}:
            self.plugins.registry.get("environment", env).load()
        writer = Writer(self.folder, self.experiment)
        models = Models(self.plugins.registry)
        pool = Pool(self.plugins, self.options.workers)
        todo = plan(self.experiment.name, self.folder, self.suite, self.methods, self.experiment.trials)
        try:
            if todo.open:
                check_models(self.methods, models)
                await self._validate(pool, validated)
                writer.write_json(
                    MANIFEST, manifest(self.plugins, self.experiment, self.suite, self.methods, models.describe())
                )
            complete = await self._roll(todo, writer, pool, models)
            summary = summarise(self.folder)
            writer.write_json(SUMMARY, summary)
            write_parquet(self.folder)
            assert self.rollout is not None
            self.rollout.observers.tell("run_finished", run=todo, complete=complete)
        finally:
            await pool.close()
            await models.aclose()
            writer.close()
        return Outcome(self.folder, summary, complete)

    async def _roll(self, todo: Plan, writer: Writer, pool: Pool, models: Models) -> bool:
        bench = Bench(
            sessions=pool,
            model=models,
            seed=self.experiment.seed,
            limits=self.experiment.limits,
            gates={role: asyncio.Semaphore(n) for role, n in self.options.calls.items()},
        )
        self.rollout = Rollout(
            todo, bench, writer, episodes=self._concurrency(), observers=self.observers, warn=self.say
        )
        with stop_on_interrupt(self.rollout.stop):
            return await self.rollout.run()

    def _concurrency(self) -> int:
        if self.options.episodes is not None:
            return self.options.episodes
        return 8 if any(m.models for m in self.methods) else max(2, self.options.workers)

    async def _validate(self, pool: Pool, validated: Callable[[Validation], None]) -> None:
        versions = digest_of(environment_versions(self.plugins, self.suite))[:12]
        if not self.options.validate or is_validated(self.suite, versions):
            return
        self.say(f"first use of {self.suite.name}: checking that gold wins its {len(self.suite.tasks)} tasks")
        results = await validate(pool, self.suite, max(1, self.options.workers), validated)
        bad = [r for r in results if r.problem]
        if bad:
            raise UsageError(
                f"suite {self.suite.name} is not sound here: gold lost {len(bad)} of {len(results)} tasks, "
                f"first {bad[0].task}: {bad[0].problem}. Look at `cornerman validate {self.suite.name}`"
            )
        mark_validated(self.suite, versions)


@contextlib.contextmanager
def stop_on_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` on the first Ctrl-C or SIGTERM; a second one interrupts as usual."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)

    def once() -> None:
        for number in signals:
            loop.remove_signal_handler(number)
        stop()

    installed = []
    for number in signals:
        with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):  # not the main thread
            loop.add_signal_handler(number, once)
            installed.append(number)
    try:
        yield
    finally:
        for number in installed:
            loop.remove_signal_handler(number)
