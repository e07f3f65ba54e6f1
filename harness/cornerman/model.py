"""The contract of a model backend: generate and score, batched and asynchronous.

Plug-ins never hold a backend. They get `view.model`, which binds role, seed, budget and record; see
`cornerman.engine.calls`. A backend batches whatever waits for it and keeps its own caches; `session` names the episode
and role that a request belongs to, so that a prefix cache can persist across an episode's turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from cornerman.records import Completion, Message, Usage

Capability = Literal["generate", "score", "logprobs", "token_ids", "choices", "regex"]


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """How to sample. `choices` restricts the text to one of the given strings where the backend can."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 128
    stop: tuple[str, ...] = ()
    choices: tuple[str, ...] | None = None
    regex: str | None = None


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """A backend's answer to one request. `usage.queue_seconds` is the time it waited for a batch or slot."""

    completions: tuple[Completion, ...]
    prompt_ids: tuple[int, ...] | None = None
    usage: Usage = Usage()
    checkpoint: str | None = None


@runtime_checkable
class Model(Protocol):
    """A model backend. Raises `cornerman.errors.ModelError` with a clear sentence when it cannot answer."""

    name: str
    capabilities: frozenset[Capability]

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        """Sample `len(seeds)` completions of the chat; each seed makes its sample repeatable where it can be."""
        ...

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        """Log-probabilities of each continuation as the assistant's answer, in the order given."""
        ...

    async def aclose(self) -> None:
        """Free what the backend holds."""
        ...

    def describe(self) -> dict[str, Any]:
        """What the manifest records: weights digest or endpoint version, dtype, template, threads."""
        ...


class Rescored(msgspec.Struct, frozen=True, kw_only=True):
    """What a model makes of token ids that are said to be its own.

    prompt: tokens of the prompt. text: the ids as text, the token that ends the turn left out. logprobs: their
    log-probabilities in nats, those of restricted choices renormalised over what was allowed. best: that of the
    likeliest token at each place. allowed: False where they are none of the choices; they have no log-probabilities.
    """

    prompt: int
    text: str
    logprobs: tuple[float, ...]
    best: tuple[float, ...]
    allowed: bool = True


@runtime_checkable
class Rescorer(Protocol):
    """A backend that can tell the log-probabilities of token ids, as `leaderboard verify --likelihood` needs it."""

    async def rescore(
        self,
        messages: Sequence[Message],
        ids: Sequence[Sequence[int]],
        choices: Sequence[str] | None = None,
        *,
        session: str | None = None,
    ) -> list[Rescored]:
        """Each sequence of ids as the assistant's answer, by teacher forcing; `choices` as in `Sampling`."""
        ...
