"""A request at work: from messages to its answer, over one or more forward passes."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import torch

from cornerman.errors import ContextOverflow
from cornerman.model import Generation
from cornerman.records import Completion, Message, Usage
from cornerman_plugins.models.hf.attention import Running, Segment
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.models.hf.kv import PrefixCache

PIECE = 1024
"""A prompt is run in pieces of so many tokens, which bounds the memory of a pass and how long it holds up others."""


@dataclass(frozen=True)
class Engine:
    """What the worker thread owns and every request uses."""

    name: str
    runner: Running
    chat: Chat
    cache: PrefixCache


class Job(ABC):
    """One request. `rows` is how many sequences it runs at once.

    The worker calls `start`, then runs what is `pending` and hands the logits to `advance` until nothing is pending,
    then calls `finish`. The first thing pending is what the prefix cache does not have of the prompt.
    """

    rows = 1
    abandoned = False

    def __init__(self, messages: Sequence[Message], session: str | None) -> None:
        self.future: Future[Generation] = Future()
        self._messages = messages
        self._session = session
        self._queued = time.perf_counter()
        self.pending: list[Segment] = []

    def start(self, engine: Engine) -> None:
        """Render the prompt and take what the prefix cache has of it. Raises ContextOverflow where it is too long."""
        self._started = time.perf_counter()
        self._engine = engine
        self._prompt = engine.chat.prompt(self._messages)
        wanted, most = len(self._prompt) + self.prepare(engine.chat), engine.runner.context
        if wanted > most:
            raise ContextOverflow(
                f"prompt and answer need {wanted} tokens, more than the {most} that model '{engine.name}' can take; "
                "shorten the history window or the observations."
            )
        self._sequence, self._key, self._cached = engine.cache.take(self._session, self._prompt)
        self.pending = self._next()

    def advance(self, logits: list[torch.Tensor]) -> None:
        """Take the logits of what was pending."""
        if len(self.pending) > 1 or self.pending[0].wanted:
            self.step(logits)
        self.pending = self._next()

    def _next(self) -> list[Segment]:
        """What to run now: a long prompt in pieces, before anything else."""
        start = len(self._sequence.ids)
        if len(self._prompt) - start > PIECE:
            return [Segment(self._sequence, self._prompt[start : start + PIECE], start, [])]
        return self.segments()

    @abstractmethod
    def prepare(self, chat: Chat) -> int:
        """Make ready what follows the prompt; how many tokens the answer needs at least."""

    @abstractmethod
    def segments(self) -> list[Segment]:
        """What the next pass must run; nothing when the request is answered."""

    @abstractmethod
    def step(self, logits: list[torch.Tensor]) -> None:
        """Take the logits of the segments."""

    @abstractmethod
    def completions(self) -> tuple[Completion, ...]:
        """The answer."""

    @abstractmethod
    def usage(self) -> Usage:
        """Tokens beyond the prompt."""

    def prompt_segment(self) -> Segment:
        """The part of the prompt that is to be computed; logits are wanted after its last token."""
        start = len(self._sequence.ids)
        rest = self._prompt[start:]
        return Segment(self._sequence, rest, start, [len(rest) - 1])

    def finish(self) -> None:
        """Give the sequence back and answer."""
        self._engine.cache.give(self._key, self._sequence)
        now = time.perf_counter()
        usage = Usage(
            calls=1,
            prompt=len(self._prompt) - self._cached,
            cached=self._cached,
            seconds=now - self._started,
            queue_seconds=self._started - self._queued,
        )
        self.future.set_result(
            Generation(
                completions=self.completions(),
                prompt_ids=self._prompt,
                usage=usage + self.usage(),
                checkpoint=self._engine.runner.digest[:16],
            )
        )

    def fail(self, error: BaseException) -> None:
        """Drop the sequence and raise the error where the answer is awaited."""
        if hasattr(self, "_key"):
            self._engine.cache.drop(self._key, self._sequence)
        if not self.future.done():
            self.future.set_exception(error)
