"""The pool of worker processes: opens sessions, recycles workers and replaces those that were lost."""

from __future__ import annotations

import asyncio

from cornerman.environment import EnvironmentSpec
from cornerman.errors import EnvError
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.workers.child import Worker
from cornerman.workers.inline import InlineSession
from cornerman.workers.process import Limits, ProcessSession
from cornerman.workers.session import Session

EXIT_GRACE_SECONDS = 2.0


class Pool:
    """Up to `workers` environments at once for episodes, and `fork_reserve` more that only forks may have.

    An episode that holds a worker and opens one fork at a time always gets it: a fork takes a worker that is free, or
    waits for another fork, never for an episode. Light environments run inline, and with `workers=0` all do.

    No process starts before the first session that needs one. A worker is ended after `recycle_episodes` episodes or
    when its resident memory has grown by more than `recycle_growth` bytes since its first; one that died or went over
    `reset_seconds` or `step_seconds` is replaced when the next session needs it. All workers are gone after `close`,
    and whenever this process is, however it ended.

    A pool belongs to one event loop, and to the thread that runs it.
    """

    def __init__(
        self,
        plugins: Plugins,
        workers: int,
        fork_reserve: int = 1,
        *,
        reset_seconds: float = 300.0,
        step_seconds: float = 60.0,
        start_seconds: float = 120.0,
        recycle_episodes: int = 200,
        recycle_growth: int = 512 << 20,
    ) -> None:
        if workers < 0 or fork_reserve < 1:
            raise ValueError("a pool has no fewer than 0 workers and 1 more for forks")
        self._plugins, self._workers = plugins, workers
        self._limits, self._start_seconds = Limits(reset_seconds, step_seconds), start_seconds
        self._recycle_episodes, self._recycle_growth = recycle_episodes, recycle_growth
        self._for_all = asyncio.Semaphore(workers)
        self._for_forks = asyncio.Semaphore(fork_reserve)
        self._living: set[Worker] = set()
        self._idle: list[Worker] = []
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    async def open(self, task: Task, *, fork: bool = False) -> Session:
        """A fresh environment for the task; waits until a worker may be had.

        Raises `EnvError` when it cannot be made, `EpisodeTimeout` when that takes too long, and `UsageError` for an
        environment that is not in the catalogue or lacks its extra.
        """
        spec: EnvironmentSpec = self._plugins.registry.get("environment", task.env).load()
        if spec.light or not self._workers:
            return InlineSession(spec, task)
        slot = self._for_forks if fork and self._for_all.locked() else self._for_all
        await slot.acquire()
        try:
            worker = await self._take()
        except BaseException:
            slot.release()
            raise

        def give_back() -> None:
            self._put(worker)
            slot.release()

        session = ProcessSession(spec, task, worker, self._limits, give_back)
        await session.open()
        return session

    async def close(self) -> None:
        """End every worker and wait until it is gone; sessions that are still open are lost. Idempotent."""
        self._closed = True
        for worker in list(self._living):
            self._retire(worker, EXIT_GRACE_SECONDS if worker in self._idle else 0.0)
        while self._ending:
            await asyncio.wait(self._ending)

    async def _take(self) -> Worker:
        """An idle worker, or a new one."""
        while self._idle and not self._closed:
            worker = self._idle.pop()
            if worker.usable:
                return worker
            self._retire(worker)
        if self._closed:
            raise EnvError("no environment can be opened: the pool of workers is closed")
        worker = Worker()
        self._living.add(worker)
        try:
            await worker.start(self._plugins.files, self._start_seconds)
        except BaseException:
            self._retire(worker)
            raise
        return worker

    def _put(self, worker: Worker) -> None:
        if self._closed or not worker.usable:
            self._retire(worker)
        elif worker.episodes >= self._recycle_episodes or worker.growth > self._recycle_growth:
            self._retire(worker, EXIT_GRACE_SECONDS)
        else:
            self._idle.append(worker)

    def _retire(self, worker: Worker, grace: float = 0.0) -> None:
        """Let go of a worker; it ends in the background, at once or by itself within the grace."""
        if worker in self._living:
            self._living.remove(worker)
            ending = asyncio.create_task(worker.end(grace))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
