"""Remembers what each sample of a rollout was restricted to, which no record of an episode holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cornerman.model import Generation, Model, Sampling
from cornerman.records import Call, Message


class Journal:
    """Choices by prompt and first seed; a call's record has both."""

    def __init__(self) -> None:
        self._choices: dict[tuple[tuple[int, ...], int], tuple[str, ...]] = {}

    def enter(self, prompt: tuple[int, ...], seed: int, choices: tuple[str, ...]) -> None:
        """Remember the choices of a request."""
        self._choices[prompt, seed] = choices

    def of(self, call: Call) -> tuple[str, ...] | None:
        """The choices of a call; None where it was free to say anything."""
        return self._choices.get((call.prompt_ids or (), call.seed))

    def clear(self) -> None:
        """Forget all of it."""
        self._choices.clear()


class Journalled:
    """A model whose restricted samples are entered into a journal."""

    def __init__(self, model: Model, journal: Journal) -> None:
        self._model, self._journal = model, journal
        self.name, self.capabilities = model.name, model.capabilities

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        """As the model, noting the choices."""
        answer = await self._model.generate(messages, sampling, seeds=seeds, session=session)
        if sampling.choices is not None and answer.prompt_ids is not None:
            self._journal.enter(answer.prompt_ids, seeds[0], sampling.choices)
        return answer

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        """As the model."""
        return await self._model.score(messages, continuations, session=session)

    async def aclose(self) -> None:
        """As the model."""
        await self._model.aclose()

    def describe(self) -> dict[str, Any]:
        """As the model."""
        return self._model.describe()
