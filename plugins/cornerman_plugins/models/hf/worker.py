"""The thread that owns the model and batches whatever waits for it; see `batch`."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

import torch

from cornerman.errors import ModelError
from cornerman_plugins.models.hf.batch import Batch
from cornerman_plugins.models.hf.job import Engine, Job


class Serving(Protocol):
    """Whatever runs requests on a model."""

    engine: Engine

    def submit(self, job: Job) -> None:
        """Queue a request; its future will be answered."""
        ...

    def close(self) -> None:
        """Take no more."""
        ...


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
        batch = Batch(engine, max_batch=self._max_batch, max_tokens=self._max_tokens)
        closing = False
        while batch.busy or not closing:
            closing |= self._receive(batch.waiting, block=not batch.busy)
            batch.run_pass()

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
