"""Hears what will be said in a task, so that a small model's vocabulary can be made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cornerman.model import Capability, Generation, Sampling
from cornerman.records import Completion, Message, Usage


class Listener:
    """A model backend that notes every text it is shown, and answers one of the choices at random."""

    name = "listener"
    capabilities: frozenset[Capability] = frozenset({"generate", "choices"})

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        """A choice for each seed, or no words where there are none."""
        choices = sampling.choices or ("",)
        for text in (*(m.content for m in messages), *choices):
            self.texts[text] = None
        said = [Completion(text=choices[seed % len(choices)]) for seed in seeds]
        return Generation(completions=tuple(said), usage=Usage(calls=1))

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        """All are equally likely."""
        for text in (*(m.content for m in messages), *continuations):
            self.texts[text] = None
        said = [Completion(text=text, logprobs=(0.0,), finish="scored") for text in continuations]
        return Generation(completions=tuple(said), usage=Usage(calls=1))

    async def aclose(self) -> None:
        """Nothing to free."""

    def describe(self) -> dict[str, Any]:
        """Nothing to say."""
        return {}
