"""The model backend over an OpenAI-compatible server."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import msgspec

from cornerman.errors import ModelError
from cornerman.model import Capability, Generation, Sampling
from cornerman.records import Completion, Message
from cornerman_plugins.models.openai import answers, dialect
from cornerman_plugins.models.openai.concurrent import all_of
from cornerman_plugins.models.openai.dialect import Options, Scheme
from cornerman_plugins.models.openai.probe import probe
from cornerman_plugins.models.openai.scoring import Scorer
from cornerman_plugins.models.openai.target import Endpoint
from cornerman_plugins.models.openai.transport import Patience, Transport


class OpenAIModel:
    """A model behind a URL; implements `cornerman.model.Model`. To be used within one event loop.

    Contents of messages travel as JSON strings, so nothing in them can end a message or open another one here. The
    server, however, renders its chat template and tokenizes the result as one text: vLLM, SGLang and llama.cpp then
    read a control string such as `<|im_end|>` within a content as that control token. Where observations or critiques
    come from strangers, use the in-process backend, which encodes contents as plain text.

    Log-probabilities are those that the server reports. Measured with vLLM 0.32: before temperature, but within a
    constraint, unless it was started with another `--logprobs-mode`. A constraint that the server ignores goes
    unnoticed; `probe` finds out.
    """

    def __init__(
        self,
        scheme: Scheme,
        endpoint: Endpoint,
        options: Options,
        *,
        patience: Patience | None = None,
        connections: int = 32,
    ) -> None:
        self.name = f"{scheme}:{endpoint.url}#{endpoint.model}"
        self.capabilities: frozenset[Capability] = dialect.capabilities(scheme, options)
        self.options = options
        self.transport = Transport(endpoint, patience or Patience(), connections)
        self.scheme = scheme
        self._scorer = Scorer(self.transport, dialect.template(options))
        self._checkpoint: str | None = None

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        """Sample `len(seeds)` completions, with one request per seed.

        With the option `n`, seeds that follow each other share one request: vLLM gives sample i the seed s+i.
        """
        chat = [_plain(message) for message in messages]
        consecutive = all(b - a == 1 for a, b in itertools.pairwise(seeds))
        if self.options.n and len(seeds) > 1 and consecutive and sampling.temperature > 0:  # vLLM refuses a greedy n
            parts = [await self._ask(chat, sampling, seeds[0], len(seeds))]
        else:
            parts = await all_of([self._ask(chat, sampling, seed, 1) for seed in seeds])
        return Generation(
            completions=tuple(completion for part in parts for completion in part.completions),
            prompt_ids=parts[0].prompt_ids if parts else None,
            usage=answers.together([part.usage for part in parts]),
            checkpoint=parts[0].checkpoint if parts else None,
        )

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        """Log-probabilities of each continuation as the assistant's whole answer, end of turn included."""
        if "score" not in self.capabilities:
            raise ModelError(f"'{self.name}' cannot score given texts; use vllm: or a model in process.")
        prompt = await self._scorer.prompt_ids([_plain(message) for message in messages])
        completions, usage = await self._scorer.score(prompt, continuations)
        return Generation(completions=completions, prompt_ids=prompt, usage=usage, checkpoint=self._checkpoint)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()

    def describe(self) -> dict[str, Any]:
        """Kind of server, URL, model, the checkpoint that the last answer named, and the options. No key."""
        endpoint = self.transport.endpoint
        return {
            "backend": self.scheme,
            "url": endpoint.url,
            "model": endpoint.model,
            "checkpoint": self._checkpoint,
            "options": msgspec.to_builtins(self.options),
        }

    async def probe(self) -> dict[str, Any]:
        """What the server really can do, found out with a few tiny requests; see `probe.probe`."""
        return await probe(self)

    async def _ask(self, chat: list[dict[str, str]], sampling: Sampling, seed: int, n: int) -> Generation:
        endpoint = self.transport.endpoint
        body = dialect.request(self.scheme, self.options, sampling, seed, n)
        answer = await self.transport.post(
            f"{endpoint.url}/chat/completions", {"model": endpoint.model, "messages": chat, **body}
        )
        reply = answers.decode(answer, answers.ChatCompletion, endpoint)
        completions = answers.completions(reply, n, endpoint)
        if sampling.choices and self.options.choices == "json_schema":
            completions = tuple(_unwrapped(completion) for completion in completions)
        self._checkpoint = "/".join(filter(None, (reply.model, reply.system_fingerprint))) or None
        return Generation(
            completions=completions,
            prompt_ids=None if reply.prompt_token_ids is None else tuple(reply.prompt_token_ids),
            usage=answers.usage(reply.usage, answer),
            checkpoint=self._checkpoint,
        )


def _plain(message: Message) -> dict[str, str]:
    return {"role": message.role, "content": message.content}


def _unwrapped(completion: Completion) -> Completion:
    """The chosen text without the JSON around it; ids and log-probabilities are those of the JSON and go with it."""
    text = dialect.chosen(completion.text)
    return completion if text is None else Completion(text=text, finish=completion.finish)
