"""A model in this process: requests go to whatever runs them, and are awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cornerman.errors import ModelError, UsageError
from cornerman.model import Capability, Generation, Rescored, Sampling
from cornerman.records import Message
from cornerman_plugins.models.hf.choose import ChooseJob
from cornerman_plugins.models.hf.generate import GenerateJob
from cornerman_plugins.models.hf.job import Job
from cornerman_plugins.models.hf.rescore import RescoreJob
from cornerman_plugins.models.hf.score import ScoreJob
from cornerman_plugins.models.hf.worker import Serving


class LocalModel:
    """What in-process backends share; one says how its engine is loaded, and describes itself.

    Log-probabilities and entropies of `generate` and `score` are the model's own (temperature 1, nothing cut off);
    those of restricted choices are renormalised over what was allowed. Ids, log-probabilities and entropies include the
    token that ends the turn; texts do not.
    """

    capabilities: frozenset[Capability] = frozenset({"generate", "score", "logprobs", "token_ids", "choices"})
    name: str
    _worker: Serving

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        """One completion a seed. With `choices`, `stop` and `max_tokens` mean nothing: a choice is a whole answer."""
        self._check(sampling, seeds)
        kind = GenerateJob if sampling.choices is None else ChooseJob
        return await self._run(kind(messages, sampling, seeds, session))

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        """Log-probabilities of each continuation as a whole answer, the token that ends the turn included."""
        if not continuations:
            raise ModelError(f"model '{self.name}' was asked to score no continuations.")
        return await self._run(ScoreJob(messages, continuations, session))

    async def rescore(
        self,
        messages: Sequence[Message],
        ids: Sequence[Sequence[int]],
        choices: Sequence[str] | None = None,
        *,
        session: str | None = None,
    ) -> list[Rescored]:
        """Log-probabilities of token ids, by one forward pass over all of them."""
        job = RescoreJob(messages, ids, choices, session)
        await self._run(job)
        return job.rescored

    async def aclose(self) -> None:
        """Answer what is queued, then end the thread."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """`aclose` for callers without an event loop; blocks."""
        self._worker.close()

    async def _run(self, job: Job) -> Generation:
        self._worker.submit(job)
        try:
            return await asyncio.wrap_future(job.future)
        except asyncio.CancelledError:
            job.abandoned = True
            raise

    def _check(self, sampling: Sampling, seeds: Sequence[int]) -> None:
        wrong = None
        if sampling.regex is not None:
            wrong = "cannot restrict its text to a regular expression; use choices, or a server that can"
        elif sampling.choices == ():
            wrong = "was given no choices"
        elif not seeds:
            wrong = "was given no seeds, and so no completion to make"
        elif sampling.temperature < 0 or not 0 < sampling.top_p <= 1 or sampling.max_tokens < 1:
            wrong = "needs temperature >= 0, 0 < top_p <= 1 and max_tokens >= 1"
        if wrong:
            raise ModelError(f"model '{self.name}' {wrong}.")


def at_least_one(**options: int) -> None:
    """Refuse options of a model that are less than 1."""
    for option, value in options.items():
        if value < 1:
            raise UsageError(f"the model option {option}={value} must be at least 1.")
