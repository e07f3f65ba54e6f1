"""A run from its experiment to its summary: build, check, play, and leave a folder behind."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cornerman
from cornerman.capabilities import check_capabilities
from cornerman.controls import supply
from cornerman.engine.context import Bench
from cornerman.engine.method import Method, build_method
from cornerman.engine.user import accompanied
from cornerman.errors import RunInterrupted, UsageError, did_you_mean
from cornerman.experiment import Experiment
from cornerman.manifest import describe_plugin, manifest
from cornerman.memory import sources
from cornerman.models import Models
from cornerman.observers import Observers
from cornerman.parquet import write_parquet
from cornerman.plugins import Plugins
from cornerman.prices import FREE, Prices
from cornerman.records import Role
from cornerman.responses import Responses, default_path
from cornerman.rollout import Plan, Rollout, plan
from cornerman.store import MANIFEST, SUMMARY, Writer, read_json
from cornerman.suites import Rules, Suite
from cornerman.summary import Summary, summarise
from cornerman.validate import Mark, Validation, check_user, validate, winnable
from cornerman.workers.pool import Pool

AT_ONCE = 8
"""Episodes under way at once, unless told otherwise: enough to fill a model's batch on a small machine."""


@dataclass(frozen=True)
class Options:
    """How an experiment is run; none of it changes what is computed.

    workers: environment processes, none for environments in this one; by default one for each core, at most eight.
    episodes: episodes under way at once, by default eight, but no more than there are environments for. calls: model
    calls under way at once, by role. cache: whether what models answer is kept for other runs, and found again.
    validate: whether gold must win the suite first, once a machine and version.
    """

    out: Path = Path("runs")
    workers: int | None = None
    episodes: int | None = None
    calls: Mapping[Role, int] = field(default_factory=dict)
    cache: bool = False
    validate: bool = True


@dataclass(frozen=True)
class Outcome:
    """What a run left: its folder, its summary, and whether every requested episode is recorded."""

    folder: Path
    summary: Summary
    complete: bool


def build_methods(plugins: Plugins, experiment: Experiment, rules: Rules) -> list[Method]:
    """Every method of the experiment, its shuffled controls supplied with what they draw from."""
    methods = [build_method(plugins.registry, m, experiment.models, rules) for m in experiment.method]
    known = {name for m in methods for i in m.instances for name in (i.role, i.label)}
    for name in experiment.models:
        if name not in known:
            raise UsageError(f"--model {name}=…: no method has a role or label '{name}'; {did_you_mean(name, known)}")
    for critic in (c for m in methods for c in m.critics):
        supply(critic)
    return methods


def check_models(methods: Sequence[Method], models: Models, prices: Prices = FREE) -> None:
    """Open every model before the first episode, so that a missing one ends the run at once and not each episode.

    A budget in dollars needs the price of each.
    """
    for method in methods:
        for uri in sorted(method.models):
            name = models(uri).name
            if method.rules.spend is not None and method.rules.spend.dollars is not None and name not in prices:
                raise UsageError(
                    f"method '{method.name}' has a budget in dollars, but the experiment gives no price for its model "
                    f"'{name}'; add one in dollars for a million tokens, as in "
                    f'prices = {{ "{name}" = {{ prompt = 0.1, output = 0.4 }} }}'
                )


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
        self.plugins, self.experiment, self.options, self.say = plugins, experiment, options, say
        self.observers = Observers(observers, say)
        self.suite: Suite = experiment.tasks(plugins.registry)
        self.methods = build_methods(plugins, experiment, self.suite.rules)
        self.memories, remarks = sources(self.methods, self.suite)
        for remark in remarks:
            say(remark)
        self.folder = options.out / experiment.name
        self._rollout: Rollout | None = None
        self._responses: Responses | None = None
        self._playing: asyncio.Task[Outcome] | None = None

    @property
    def winnable(self) -> int:
        """How many of the suite's tasks gold is asked to win before the first use."""
        return len(winnable(self.plugins.registry, self.suite).tasks)

    @property
    def interactive(self) -> bool:
        """Whether a person at the terminal plays a part in any method."""
        return any(method.interactive for method in self.methods)

    def stop(self) -> None:
        """End the run in order: episodes in flight are dropped, what is recorded is summed up."""
        if self._rollout is not None:
            self._rollout.stop()
        elif self._playing is not None:
            self._playing.cancel()

    async def play(self, validated: Callable[[Validation], None] = lambda result: None) -> Outcome:
        """Run to the end, or until `stop`; the folder is complete and valid in either case.

        Raises `UsageError` for what makes the run impossible and `RunInterrupted` when it ended before an episode could
        be played or could not be written; a folder that holds no episode then is not left behind.
        """
        self._playing = asyncio.create_task(self._play(validated))
        try:
            return await self._playing
        except asyncio.CancelledError:
            outer = asyncio.current_task()
            if outer is not None and outer.cancelling():
                raise
            raise RunInterrupted("interrupted before any episode was played; the same command goes on") from None

    async def _play(self, validated: Callable[[Validation], None]) -> Outcome:
        writer = Writer(self.folder, self.experiment)
        limits = self.experiment.limits
        pool = Pool(
            self.plugins,
            self._workers,
            reset_seconds=limits.reset_seconds or math.inf,
            step_seconds=limits.step_seconds or math.inf,
        )
        models = Models(self.plugins.registry)
        self._responses = Responses(default_path()) if self.options.cache else None
        try:
            todo = plan(self.experiment.name, self.folder, self.suite, self.methods, self.experiment.trials)
            about = {} if writer.fresh else check_panel(self.folder, self.suite, self.say)
            check_files(self.folder, about, self.plugins)
            if todo.open or not about:
                about = await self._prepare(pool, models, validated)
                writer.write_json(MANIFEST, about)
            complete = await self._roll(todo, writer, pool, models)
            if not complete and not todo.recorded:
                raise RunInterrupted("stopped before any episode was over; the same command begins anew")
            summary = self._conclude(writer)
            self.observers.tell("run_finished", run=todo, complete=complete)
        except BaseException:
            writer.abandon()
            raise
        finally:
            await pool.close()
            await models.aclose()
            if self._responses is not None:
                self._responses.close()
            writer.close()
        return Outcome(self.folder, summary, complete)

    async def _prepare(self, pool: Pool, models: Models, validated: Callable[[Validation], None]) -> dict[str, Any]:
        """Whatever can be found wrong before the first episode is; answers the manifest."""
        for env in {task.env for task in self.suite.tasks}:
            self.plugins.registry.get("environment", env).load()
        check_user(self.plugins.registry, self.suite)
        check_models(self.methods, models, self.experiment.prices)
        check_capabilities(self.methods, models)
        await self._validate(pool, models, validated)
        return manifest(self.plugins, self.experiment, self.suite, self.methods, models.describe())

    async def _roll(self, todo: Plan, writer: Writer, pool: Pool, models: Models) -> bool:
        bench = Bench(
            sessions=pool,
            model=models,
            seed=self.experiment.seed,
            limits=self.experiment.limits,
            prices=self.experiment.prices,
            responses=self._responses,
            gates={role: asyncio.Semaphore(n) for role, n in self.options.calls.items()},
        )
        episodes = self.concurrency() if todo.open else 1
        shared = self.experiment.tape == "shared"
        self._rollout = Rollout(
            todo,
            bench,
            writer,
            episodes=episodes,
            observers=self.observers,
            memories=self.memories,
            lender=next(m for m in self.methods if m.name == self.experiment.baseline) if shared else None,
        )
        return await self._rollout.run()

    def _conclude(self, writer: Writer) -> Summary:
        """What is computed from the episodes, in files beside them."""
        try:
            write_parquet(self.folder)
            summary = summarise(self.folder)
            writer.write_json(SUMMARY, summary)
        except OSError as error:
            raise RunInterrupted(
                f"the episodes are recorded in {self.folder}, but what is computed from them cannot be written: "
                f"{error.strerror or error}; the same command tries again"
            ) from error
        return summary

    @property
    def _workers(self) -> int:
        return min(AT_ONCE, os.cpu_count() or 1) if self.options.workers is None else self.options.workers

    def concurrency(self) -> int:
        """Episodes at once. One that has to wait for a worker would spend its time limit on it."""
        if self.interactive:
            return 1  # a person answers one at a time
        if self.options.episodes is not None:
            return self.options.episodes
        specs = [self.plugins.registry.get("environment", e).load() for e in {t.env for t in self.suite.tasks}]
        inline = self._workers == 0 or any(spec.light for spec in specs)
        return AT_ONCE if inline else min(AT_ONCE, self._workers)

    async def _validate(self, pool: Pool, models: Models, validated: Callable[[Validation], None]) -> None:
        mark = Mark(self.plugins, self.suite)
        suite = winnable(self.plugins.registry, self.suite)
        if not self.options.validate or not suite.tasks or mark.is_set():
            return
        user = self.methods[0].user
        if user is not None and user.model is not None:
            self.say(f"gold is not checked on {self.suite.name}, whose user is a model and may say anything")
            return
        self.say(f"first use of {self.suite.name}: checking that gold wins its {len(suite.tasks)} tasks")
        accompany = accompanied(Bench(sessions=pool, model=models), suite.rules, user)
        results = await validate(pool, suite, max(1, self._workers), validated, accompany)
        bad = [r for r in results if r.problem]
        if bad:
            raise UsageError(
                f"suite {self.suite.name} is not sound here: gold lost {len(bad)} of {len(results)} tasks, "
                f"first {bad[0].task}: {bad[0].problem}. Look at `cornerman validate {self.experiment.suite}`, "
                "or play it all the same with --no-validate"
            )
        mark.set()


def check_panel(folder: Path, suite: Suite, say: Callable[[str], None]) -> dict[str, Any]:
    """The manifest of a run that goes on, or none where it was killed before it had one.

    Refuses a suite that has other tasks or rules by now, though its name is the same; another version is only said.
    """
    path = folder / MANIFEST
    if not path.exists():
        return {}
    about = read_json(path)
    recorded = about.get("suite") if isinstance(about, dict) else None
    if not isinstance(recorded, dict):
        raise UsageError(f"{path} is no manifest; choose another --name")
    for key, now in (("panel", suite.panel), ("rules", suite.rules_digest)):
        if recorded.get(key) != now:
            what = {"panel": "tasks", "rules": "rules"}[key]
            raise UsageError(
                f"{folder} was made when suite '{suite.name}' had other {what} ({key}: {recorded.get(key)!r} there, "
                f"{now!r} here); choose another --name"
            )
    if about.get("cornerman") != cornerman.__version__:
        say(f"{folder} was begun by Cornerman {about.get('cornerman')} and goes on with {cornerman.__version__}")
    assert isinstance(about, dict)
    return about


def check_files(folder: Path, about: Mapping[str, Any], plugins: Plugins) -> None:
    """Refuse to go on with a plug-in file that was edited since: its episodes would not be those of one method."""
    recorded = {p.get("name"): p.get("sha256") for p in about.get("plugins", ()) if isinstance(p, dict)}
    for now in map(describe_plugin, plugins.loaded):
        before = recorded.get(now["name"])
        if before is not None and before != now.get("sha256"):
            raise UsageError(
                f"{now['origin']} has changed since {folder} was made, and its episodes are those of the old one; "
                "choose another --name, or delete the folder to start anew"
            )
