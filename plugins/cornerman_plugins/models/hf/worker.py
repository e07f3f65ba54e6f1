"""The thread that owns the model and batches whatever waits for it.

Every pass runs the next tokens of all requests at work, and takes in waiting requests, first come first served, while
there is room: `max_batch` sequences at once and about `max_tokens` new tokens a pass. Requests finish and leave
one by one, as in continuous batching (Yu et al., OSDI 2022, section 3.1).
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future

import torch

from cornerman.errors import ModelError
from cornerman_plugins.models.hf.job import Engine, Job


class Worker:
    """Starts the thread, loads in it what `load` answers, and raises here what loading raised.

    `threads` is how many threads torch uses for one operation, `max_tokens` about how many new tokens a pass takes.
    """

    def __init__(self, load: Callable[[], Engine], *, threads: int, max_batch: int, max_tokens: int) -> None:
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._max_batch = max_batch
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._closed = False
        ready: Future[Engine] = Future()
        self._thread = threading.Thread(
            target=self._main, args=(load, threads, ready), name="cornerman-hf", daemon=True
        )
        self._thread.start()
        self.engine = ready.result()

    def submit(self, job: Job) -> None:
        """Queue a request; its future is answered by the thread."""
        with self._lock:
            if self._closed:
                raise ModelError(f"model '{self.engine.name}' is closed.")
            self._queue.put(job)

    def close(self) -> None:
        """Finish what is queued, end the thread and wait for it."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _main(self, load: Callable[[], Engine], threads: int, ready: Future[Engine]) -> None:
        torch.set_num_threads(threads)
        try:
            engine = load()
        except BaseException as error:
            ready.set_exception(error)
            return
        ready.set_result(engine)
        with torch.inference_mode():
            self._serve(engine)

    def _serve(self, engine: Engine) -> None:
        working: list[Job] = []
        waiting: list[Job] = []
        closing = False
        while working or waiting or not closing:
            closing |= self._receive(waiting, block=not (working or waiting))
            self._admit(engine, working, waiting)
            working = [job for job in working if not _cancelled(job)]
            if working:
                working = _pass(engine, working)

    def _receive(self, waiting: list[Job], block: bool) -> bool:
        """Take what is queued; True when the end was queued."""
        while True:
            try:
                job = self._queue.get(block=block)
            except queue.Empty:
                return False
            if job is None:
                return True
            waiting.append(job)
            block = False

    def _admit(self, engine: Engine, working: list[Job], waiting: list[Job]) -> None:
        """Start waiting requests while the next pass has room; one that is too large for any pass runs alone."""
        rows, tokens = sum(job.rows for job in working), sum(job.rows for job in working)
        while waiting and (not working or (rows + waiting[0].rows <= self._max_batch and tokens < self._max_tokens)):
            job = waiting.pop(0)
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                job.start(engine)
            except Exception as error:
                job.fail(_as_model_error(engine, error))
                continue
            working.append(job)
            rows += job.rows
            tokens += sum(len(segment.ids) for segment in job.pending)


def _pass(engine: Engine, jobs: list[Job]) -> list[Job]:
    """One forward pass for all jobs; the jobs that go on. What it raises ends these requests, and no others."""
    try:
        logits = engine.runner.run([segment for job in jobs for segment in job.pending])
    except Exception as error:
        for job in jobs:
            job.fail(_as_model_error(engine, error))
        return []
    going = []
    for job in jobs:
        own, logits = logits[: len(job.pending)], logits[len(job.pending) :]
        try:
            job.advance(own)
            if job.pending:
                going.append(job)
            else:
                job.finish()
        except Exception as error:
            job.fail(_as_model_error(engine, error))
    return going


def _cancelled(job: Job) -> bool:
    if job.abandoned:
        job.fail(ModelError("the request was cancelled."))
    return job.abandoned


def _as_model_error(engine: Engine, error: Exception) -> ModelError:
    if isinstance(error, ModelError):
        return error
    failure = ModelError(f"model '{engine.name}' failed: {type(error).__name__}: {error}")
    failure.__cause__ = error
    return failure
