"""Log-probabilities of given answers from vLLM: its tokenizer makes the ids, its completions route scores them.

One prompt a request: several prompts with log-probabilities in one request killed vLLM 0.32 with an adapter loaded.
vLLM does not read its prefix cache for such a request, so each answer costs its whole prompt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from cornerman.errors import ModelError
from cornerman.records import Completion, Usage
from cornerman_plugins.models.openai import answers
from cornerman_plugins.models.openai.answers import TokenUsage
from cornerman_plugins.models.openai.concurrent import all_of
from cornerman_plugins.models.openai.transport import Transport


class _Tokens(msgspec.Struct):
    tokens: list[int]


class _Logprob(msgspec.Struct):
    logprob: float


class _Choice(msgspec.Struct):
    prompt_logprobs: list[dict[str, _Logprob] | None] | None = None


class _Scored(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: TokenUsage | None = None


class Scorer:
    """Scores answers within the chat template of the served model; `template` holds arguments of that template."""

    def __init__(self, transport: Transport, template: Mapping[str, Any]) -> None:
        self._transport = transport
        self._template = dict(template)
        self._end: int | None = None

    async def prompt_ids(self, messages: Sequence[Mapping[str, str]]) -> tuple[int, ...]:
        """Ids of the conversation up to where the assistant's answer begins."""
        return await self._tokenize(messages=list(messages), add_generation_prompt=True, **self._template)

    async def score(
        self, prompt: tuple[int, ...], continuations: Sequence[str]
    ) -> tuple[tuple[Completion, ...], Usage]:
        """Each continuation as a whole answer: its tokens and the one that ends the assistant's turn."""
        end = await self._end_of_turn()
        scored = await all_of([self._score(prompt, text, end) for text in continuations])
        return tuple(completion for completion, _ in scored), answers.together([usage for _, usage in scored])

    async def _score(self, prompt: tuple[int, ...], text: str, end: int) -> tuple[Completion, Usage]:
        ids = (*await self._tokenize(prompt=text, add_special_tokens=False), end)
        endpoint = self._transport.endpoint
        body = {
            "model": endpoint.model,
            "prompt": [*prompt, *ids],
            "max_tokens": 1,
            "temperature": 0,
            "prompt_logprobs": 0,
        }
        answer = await self._transport.post(f"{endpoint.url}/completions", body)
        scored = answers.decode(answer, _Scored, endpoint)
        positions = scored.choices[0].prompt_logprobs if len(scored.choices) == 1 else None
        if positions is None or len(positions) != len(prompt) + len(ids):
            raise ModelError(f"the server at {endpoint.url} gave no log-probabilities of the prompt; is it vLLM?")
        found = [(at or {}).get(str(token)) for at, token in zip(positions[len(prompt) :], ids, strict=True)]
        logprobs = tuple(entry.logprob for entry in found if entry is not None)
        if len(logprobs) != len(ids):
            raise ModelError(f"the server at {endpoint.url} left out log-probabilities of tokens of the prompt.")
        completion = Completion(text=text, ids=ids, logprobs=logprobs, finish="scored")
        return completion, answers.usage(scored.usage, answer)

    async def _end_of_turn(self) -> int:
        """The id of the token that the template writes after an answer; asked once."""
        if self._end is None:
            chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
            opened = await self._tokenize(
                messages=chat, add_generation_prompt=False, continue_final_message=True, **self._template
            )
            closed = await self._tokenize(messages=chat, add_generation_prompt=False, **self._template)
            if len(closed) <= len(opened) or closed[: len(opened)] != opened:
                raise ModelError(
                    f"the chat template of '{self._transport.endpoint.model}' writes no token after an answer, so "
                    "that whole answers cannot be scored."
                )
            self._end = closed[len(opened)]
        return self._end

    async def _tokenize(self, **what: Any) -> tuple[int, ...]:
        endpoint = self._transport.endpoint
        answer = await self._transport.post(f"{endpoint.root}/tokenize", {"model": endpoint.model, **what})
        return tuple(answers.decode(answer, _Tokens, endpoint).tokens)
