"""The requests at work on one model, and those that wait.

Every pass runs the next tokens of all requests at work, and takes in waiting requests, first come first served, while
there is room: `max_batch` sequences at once and about `max_tokens` new tokens a pass. Requests finish and leave
one by one, as in continuous batching (Yu et al., OSDI 2022, section 3.1).
"""

from __future__ import annotations

from cornerman.errors import ModelError
from cornerman_plugins.models.hf.job import Engine, Job


class Batch:
    """Requests by the order in which they came. `max_tokens` is about how many new tokens a pass takes."""

    def __init__(self, engine: Engine, *, max_batch: int, max_tokens: int) -> None:
        self._engine, self._max_batch, self._max_tokens = engine, max_batch, max_tokens
        self.waiting: list[Job] = []
        self._working: list[Job] = []

    @property
    def busy(self) -> bool:
        """Whether there is anything left to run."""
        return bool(self._working or self.waiting)

    def run_pass(self) -> None:
        """Take in what there is room for, and run one pass."""
        self._admit()
        self._working = [job for job in self._working if not _cancelled(job)]
        if self._working:
            self._working = _pass(self._engine, self._working)

    def _admit(self) -> None:
        """Start waiting requests while the next pass has room; one that is too large for any pass runs alone."""
        working, waiting = self._working, self.waiting
        rows, tokens = sum(job.rows for job in working), sum(job.rows for job in working)
        while waiting and (not working or (rows + waiting[0].rows <= self._max_batch and tokens < self._max_tokens)):
            job = waiting.pop(0)
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                job.start(self._engine)
            except Exception as error:
                job.fail(_as_model_error(self._engine, error))
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
