"""Many episodes on one event loop: order, concurrency, retries, resume, and a clean stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from cornerman.engine.calls import usage_by_role
from cornerman.engine.context import Bench, MemoryItem
from cornerman.engine.episode import run_episode
from cornerman.engine.method import Method
from cornerman.engine.tape import Tape
from cornerman.errors import POLICY, End
from cornerman.journal import Journal
from cornerman.memory import Ledger
from cornerman.observers import Observers
from cornerman.records import Attempt, Episode, Task
from cornerman.store import Writer, encode_episode, latest
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


class Rollout:
    """Plays a plan's open episodes and records each as it ends."""

    def __init__(
        self,
        plan: Plan,
        bench: Bench,
        writer: Writer,
        *,
        episodes: int,
        observers: Observers,
        memories: Mapping[str, tuple[MemoryItem, ...]] = {},
        lender: Method | None = None,
    ) -> None:
        """`memories` are the entries that the memories of methods, by name, begin the run with; `lender` is the method
        whose tapes others with its actor share."""
        self.plan, self.bench, self.concurrency = plan, bench, max(1, episodes)
        self.observers = observers
        self._journal = Journal(writer)
        self._ledgers = self._open_ledgers(memories)
        self._lender = lender
        self._queue = plan.open
        self._unplayed = {s.key for s in self._queue}
        self._changed = asyncio.Condition()
        self._recording: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        bench.attempt_finished = self._attempt_finished

    def _attempt_finished(self, task: Task, method: str, trial: int, attempt: Attempt) -> None:
        self.observers.tell("attempt_finished", task=task, method=method, trial=trial, attempt=attempt)

    def _open_ledgers(self, memories: Mapping[str, tuple[MemoryItem, ...]]) -> dict[tuple[str, int], Ledger]:
        ledgers: dict[tuple[str, int], Ledger] = {}
        for slot in self.plan.slots:
            memory, key = slot.method.memory, (slot.method.name, slot.trial)
            if memory is None:
                continue
            if key not in ledgers:
                start = memories.get(slot.method.name, ())
                ledgers[key] = Ledger(memory.settings.mode, memory.settings.round, len(self.plan.suite.tasks), start)
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
        players = [asyncio.create_task(self._player()) for _ in range(min(self.concurrency, len(self._queue)))]
        stopped = asyncio.create_task(self._stopping.wait())
        everyone = asyncio.gather(*players)
        try:
            waiting: set[asyncio.Future[Any]] = {everyone, stopped}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if everyone.done():
                await everyone
        finally:
            for task in (*players, stopped):
                task.cancel()
            await asyncio.gather(*players, everyone, stopped, return_exceptions=True)
            await asyncio.gather(*self._recording, return_exceptions=True)
            self._journal.close()
        return all(s.key in self.plan.recorded for s in self.plan.slots)

    async def _player(self) -> None:
        while (slot := await self._next()) is not None:
            await self._play(slot)

    async def _next(self) -> Slot | None:
        """The first open episode whose memory is complete and whose tape is there; None when there are no more."""
        async with self._changed:
            while self._queue:
                behind: set[tuple[str, int]] = set()  # later tasks of theirs have to wait as well
                for i, slot in enumerate(self._queue):
                    key = (slot.method.name, slot.trial)
                    ledger = self._ledgers.get(key)
                    remembers = key not in behind and (ledger is None or ledger.ready(slot.position))
                    if remembers and not self._awaits_tape(slot):
                        return self._queue.pop(i)
                    behind.add(key)
                await self._changed.wait()
            return None

    def _lends(self, slot: Slot) -> tuple[str, str, int] | None:
        """The episode whose tape this one reads, if any."""
        lender = self._lender
        if lender is None or slot.method is lender or not slot.method.same_actor(lender):
            return None
        return (slot.task.id, lender.name, slot.trial)

    def _awaits_tape(self, slot: Slot) -> bool:
        """Whether the episode that lends its tape is still to be played; one that ended in an error lends none."""
        lends = self._lends(slot)
        return lends is not None and lends in self._unplayed

    def _tape(self, slot: Slot) -> Tape | None:
        lends = self._lends(slot)
        episode = None if lends is None else self.plan.recorded.get(lends)
        return Tape.of(episode) if episode is not None and settled(episode) else None

    async def _play(self, slot: Slot) -> None:
        ledger = self._ledgers.get((slot.method.name, slot.trial))
        episode = await self._tries(slot, () if ledger is None else ledger.entries(slot.position))
        # A stop drops what is being played, but never what has been: this runs to its end.
        recording = asyncio.create_task(self._record(slot, episode))
        self._recording.add(recording)
        recording.add_done_callback(self._recorded)
        await asyncio.shield(recording)
        async with self._changed:
            self._unplayed.discard(slot.key)
            self._changed.notify_all()

    def _recorded(self, recording: asyncio.Task[None]) -> None:
        self._recording.discard(recording)
        if not recording.cancelled():
            recording.exception()  # who waited for it may have been stopped meanwhile

    async def _record(self, slot: Slot, episode: Episode) -> None:
        episode, line = recordable(episode)
        await self._journal.write(line)
        self.plan.recorded[episode.key] = episode
        ledger = self._ledgers.get((slot.method.name, slot.trial))
        if ledger is not None:
            ledger.record(slot.position, episode.memory)
        self.observers.tell("episode_finished", episode=episode)

    async def _tries(self, slot: Slot, memory: tuple[MemoryItem, ...]) -> Episode:
        """Play an episode, again at once where its error allows. What earlier tries cost is part of the record."""
        started, now = time.perf_counter(), 0
        before = self.plan.recorded.get(slot.key)
        tape, rules = self._tape(slot), self.plan.suite.rules
        while True:
            episode = await run_episode(self.bench, slot.task, slot.method, rules, slot.trial, memory, tape)
            now += 1
            before = episode if before is None else after(before, episode)
            if now > POLICY[episode.end].retries:
                return msgspec.structs.replace(before, seconds=time.perf_counter() - started)


def after(failed: Episode, episode: Episode) -> Episode:
    """An episode that was played again after an error: it counts both tries and pays for both.

    The calls of the failed try are kept without their words, under new ids.
    """
    first = max((c.id for c in episode.calls), default=-1) + 1
    spent = [
        msgspec.structs.replace(c, id=first + i, messages=(), prompt_ids=None, completions=())
        for i, c in enumerate(failed.calls)
    ]
    calls = (*episode.calls, *spent)
    return msgspec.structs.replace(episode, tries=failed.tries + episode.tries, calls=calls, usage=usage_by_role(calls))


def recordable(episode: Episode) -> tuple[Episode, bytes]:
    """An episode and its line; one that no reader could take back is recorded as the error that it is."""
    try:
        return episode, encode_episode(episode)
    except ValueError as error:
        text = str(error)
        end = End.MODEL_ERROR if "$.calls" in text else End.CRITIC_ERROR if "critiques" in text else End.ACTOR_ERROR
        bare = Episode(
            task=episode.task,
            method=episode.method,
            trial=episode.trial,
            seed=episode.seed,
            end=end,
            error=f"the episode cannot be recorded: {text}",
            usage=episode.usage,
            tries=episode.tries,
            seconds=episode.seconds,
        )
        return bare, encode_episode(bare)
