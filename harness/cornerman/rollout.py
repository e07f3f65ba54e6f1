"""Many episodes on one event loop: order, concurrency, retries, resume, observers, and a clean stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from cornerman.engine.context import Bench
from cornerman.engine.episode import run_episode
from cornerman.engine.method import Method
from cornerman.errors import POLICY, UsageError
from cornerman.memory import Ledger, final_state
from cornerman.records import Attempt, Episode, Task
from cornerman.store import Writer, latest, read_experiment
from cornerman.suites import Suite


@dataclass(frozen=True)
class Slot:
    """One episode to play: a task by its position in the suite, a method, a trial."""

    position: int
    task: Task
    method: Method
    trial: int

    @property
    def key(self) -> tuple[str, str, int]:
        """As `Episode.key`."""
        return (self.task.id, self.method.name, self.trial)


@dataclass
class Plan:
    """What a run is to record, and what of it is there already. Observers get this."""

    name: str
    folder: Path
    suite: Suite
    slots: list[Slot]
    recorded: dict[tuple[str, str, int], Episode] = field(default_factory=dict)

    @property
    def requested(self) -> int:
        """All episodes of the run."""
        return len(self.slots)

    @property
    def open(self) -> list[Slot]:
        """Those still to play: without a record, or with one that a resumed run plays again."""
        return [s for s in self.slots if not settled(self.recorded.get(s.key))]


def settled(episode: Episode | None) -> bool:
    """Whether a record stands: it is there and did not end in an error that a resumed run plays again."""
    return episode is not None and not POLICY[episode.end].replay


def plan(name: str, folder: Path, suite: Suite, methods: Sequence[Method], trials: int) -> Plan:
    """All episodes, trial by trial and task by task, so that a run that stops early is still paired."""
    slots = [
        Slot(i, task, method, trial)
        for trial in range(trials)
        for i, task in enumerate(suite.tasks)
        for method in methods
    ]
    wanted = {s.key for s in slots}
    return Plan(name, folder, suite, slots, {k: e for k, e in latest(folder).items() if k in wanted})


class Observers:
    """Observer plug-ins behind an error boundary: one that raises is reported once and not asked again."""

    def __init__(self, observers: Iterable[object], warn: Callable[[str], None]) -> None:
        self._observers, self._warn = list(observers), warn

    def tell(self, hook: str, **arguments: Any) -> None:
        """Call a hook of every observer that has it."""
        for observer in list(self._observers):
            function = getattr(observer, hook, None)
            if function is None:
                continue
            try:
                function(**arguments)
            except Exception as error:
                self._observers.remove(observer)
                self._warn(f"observer '{type(observer).__name__}' raised in {hook} and is dropped: {error}")


class Rollout:
    """Plays a plan's open episodes and records each as it ends."""

    def __init__(
        self,
        plan: Plan,
        bench: Bench,
        writer: Writer,
        *,
        episodes: int,
        observers: Iterable[object] = (),
        warn: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.plan, self.bench, self.writer, self.concurrency = plan, bench, writer, max(1, episodes)
        self.observers = Observers(observers, warn)
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="cornerman-disk")
        self._ledgers = self._open_ledgers()
        self._stopping = asyncio.Event()
        bench.attempt_finished = self._attempt_finished

    def _attempt_finished(self, task: Task, method: str, trial: int, attempt: Attempt) -> None:
        self.observers.tell("attempt_finished", task=task, method=method, trial=trial, attempt=attempt)

    def _open_ledgers(self) -> dict[tuple[str, int], Ledger]:
        ledgers: dict[tuple[str, int], Ledger] = {}
        for slot in self.plan.slots:
            memory, key = slot.method.memory, (slot.method.name, slot.trial)
            if memory is None:
                continue
            if key not in ledgers:
                settings = memory.settings
                start = memory_of(Path(settings.source), settings.name) if settings.source else ()
                ledgers[key] = Ledger(settings.mode, settings.round, len(self.plan.suite.tasks), start)
            episode = self.plan.recorded.get(slot.key)
            if episode is not None and settled(episode):
                ledgers[key].record(slot.position, episode.memory)
        return ledgers

    def stop(self) -> None:
        """Take no new episode and drop those in flight."""
        self._stopping.set()

    async def run(self) -> bool:
        """Play until all is recorded or `stop` was called; True when nothing is missing."""
        self.observers.tell("run_started", run=self.plan)
        queue = iter(self.plan.open)
        players = [asyncio.create_task(self._player(queue)) for _ in range(self.concurrency)]
        stopped = asyncio.create_task(self._stopping.wait())
        try:
            everyone = asyncio.gather(*players)
            waiting: set[asyncio.Future[Any]] = {everyone, stopped}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if everyone.done():
                await everyone
        finally:
            for task in (*players, stopped):
                task.cancel()
            await asyncio.gather(*players, stopped, return_exceptions=True)
            self._disk.shutdown(wait=True)
        return all(s.key in self.plan.recorded for s in self.plan.slots)

    async def _player(self, queue: Iterable[Slot]) -> None:
        for slot in queue:
            await self._play(slot)

    async def _play(self, slot: Slot) -> None:
        ledger = self._ledgers.get((slot.method.name, slot.trial))
        memory = () if ledger is None else await ledger.entries(slot.position)
        episode = await self._tries(slot, memory)
        record = asyncio.get_running_loop().run_in_executor(self._disk, self.writer.append, episode)
        await asyncio.shield(record)
        self.plan.recorded[episode.key] = episode
        if ledger is not None:
            ledger.record(slot.position, episode.memory)
        self.observers.tell("episode_finished", episode=episode)

    async def _tries(self, slot: Slot, memory: Any) -> Episode:
        tries, started = 0, time.perf_counter()
        while True:
            tries += 1
            episode = await run_episode(self.bench, slot.task, slot.method, self.plan.suite.rules, slot.trial, memory)
            if tries > POLICY[episode.end].retries:
                return msgspec.structs.replace(episode, tries=tries, seconds=time.perf_counter() - started)


def memory_of(run: Path, label: str) -> Any:
    """What the memory of a recorded run held at its end; of its first trial, and of the one method that has it."""
    experiment = read_experiment(run)
    methods = [m.name for m in experiment.method if m.memory is not None and m.memory.name == label]
    if len(methods) != 1:
        raise UsageError(f"memory source {run}: {len(methods)} of its methods have a memory '{label}', one is needed")
    episodes = [e for e in latest(run).values() if e.method == methods[0] and e.trial == 0]
    order = list(dict.fromkeys(e.task.id for e in episodes))
    return final_state(episodes, order)
