"""Writes demonstrations down: answers with the first of the given choices, tokenised as the trained model would be.

No model runs. A demonstrating plug-in that knows what to do puts it first among the choices, and the record of the
episode then holds prompts and tokens to imitate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cornerman.errors import ModelError
from cornerman.model import Capability, Generation, Sampling
from cornerman.records import Completion, Message, Usage
from cornerman_plugins.models.hf.chat import Chat


class Scribe:
    """A model backend that can do nothing but choose the first."""

    name = "scribe"
    capabilities: frozenset[Capability] = frozenset({"generate", "choices", "token_ids"})

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        """The first choice, once for each seed."""
        if not sampling.choices:
            raise ModelError("the scribe writes down what it is given and was given no choices")
        prompt, ids = self._chat.prompt(messages), self._chat.answer(sampling.choices[0])
        completion = Completion(text=sampling.choices[0], ids=ids)
        usage = Usage(calls=1, prompt=len(prompt), output=len(ids) * len(seeds))
        return Generation(completions=(completion,) * len(seeds), prompt_ids=prompt, usage=usage)

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        """Refused."""
        raise ModelError("the scribe can not score")

    async def aclose(self) -> None:
        """Nothing to free."""

    def describe(self) -> dict[str, Any]:
        """Nothing to say."""
        return {}
