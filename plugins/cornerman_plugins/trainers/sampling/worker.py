"""Runs the passes of all requests on the event loop itself, in an order that does not depend on time.

A thread takes in whatever has arrived, so that a pass holds other requests in every run, and the last bits of a sum of
float32 depend on what else is in the pass. Here a pass begins when nothing on the loop goes on without it: with light
environments, which answer at once, equal runs make equal passes and equal samples.
"""

from __future__ import annotations

import asyncio

import torch

from cornerman.errors import ModelError
from cornerman_plugins.models.hf.batch import Batch
from cornerman_plugins.models.hf.job import Engine, Job

QUIET = 6
"""Turns of the event loop without a new request before a pass begins: an episode asks again within five."""


class LoopWorker:
    """Takes requests as `cornerman_plugins.models.hf.worker.Worker` does; belongs to one event loop."""

    def __init__(self, engine: Engine, *, max_batch: int, max_tokens: int) -> None:
        self.engine = engine
        self._batch = Batch(engine, max_batch=max_batch, max_tokens=max_tokens)
        self._quiet = 0
        self._scheduled = False

    def submit(self, job: Job) -> None:
        """Queue a request; its future is answered from the event loop."""
        self._batch.waiting.append(job)
        self._quiet = 0
        self._schedule()

    def close(self) -> None:
        """Fail what is still queued."""
        for job in self._batch.waiting:
            job.fail(ModelError(f"model '{self.engine.name}' is closed."))

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        self._scheduled = False
        self._quiet += 1
        if self._quiet > QUIET:
            with torch.inference_mode():
                self._batch.run_pass()
            self._quiet = 0
        if self._batch.busy:
            self._schedule()
