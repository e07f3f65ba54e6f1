"""A model that follows a script: replies and scores are canned or functions of the prompt; keeps what it was asked."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cornerman.model import Capability, Generation, Sampling
from cornerman.records import Completion, Message, Usage

Reply = Callable[[Sequence[Message]], str]
Score = Callable[[Sequence[Message], str], float]


@dataclass(frozen=True)
class Asked:
    """One request as the backend got it."""

    kind: str
    messages: tuple[Message, ...]
    texts: tuple[str, ...] = ()
    sampling: Sampling | None = None
    session: str | None = None

    @property
    def last(self) -> str:
        """The newest message."""
        return self.messages[-1].content

    @property
    def roles(self) -> str:
        """Roles by their first letters, as in "suaus"."""
        return "".join(m.role[0] for m in self.messages)


def hashed(messages: Sequence[Message], text: str) -> float:
    """A log-probability between -8 and 0 that depends on every letter of the prompt and the text."""
    data = "\x00".join([*(f"{m.role}\x01{m.content}" for m in messages), text])
    return -8 * int.from_bytes(hashlib.sha256(data.encode("utf-8", "surrogatepass")).digest()[:4], "big") / 2**32


class ScriptedModel:
    """`replies`: texts in the order of the samples asked for, or a function of the prompt. `scores`: total
    log-probability by text, or a function; each word of a text, and its end, has an equal share of it.
    """

    name = "scripted"
    capabilities: frozenset[Capability] = frozenset({"generate", "score", "logprobs"})

    def __init__(self, replies: Sequence[str] | Reply = (), scores: dict[str, float] | Score = hashed) -> None:
        self._replies = replies if callable(replies) else iter(replies)
        self._scores = scores
        self.asked: list[Asked] = []

    def _reply(self, messages: Sequence[Message]) -> str:
        return self._replies(messages) if callable(self._replies) else next(self._replies)

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        self.asked.append(Asked("generate", tuple(messages), sampling=sampling, session=session))
        texts = [self._reply(messages) for _ in seeds]
        return Generation(
            completions=tuple(Completion(text=t, logprobs=(-0.5, -0.5), entropies=(0.2, 0.4)) for t in texts),
            usage=Usage(prompt=1, output=2 * len(texts)),
        )

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        self.asked.append(Asked("score", tuple(messages), texts=tuple(continuations), session=session))
        completions = []
        for text in continuations:
            total = self._scores(messages, text) if callable(self._scores) else self._scores.get(text, -math.inf)
            tokens = len(text.split()) + 1
            completions.append(Completion(text=text, logprobs=(total / tokens,) * tokens, finish="scored"))
        return Generation(completions=tuple(completions), usage=Usage(prompt=1))

    async def aclose(self) -> None:
        return None

    def describe(self) -> dict[str, Any]:
        return {}
