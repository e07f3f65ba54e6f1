"""HTTP to one endpoint: bounded concurrency, retries, and every failure as a ModelError."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec

from cornerman.errors import ContextOverflow, ModelError, did_you_mean
from cornerman_plugins.models.openai import failures
from cornerman_plugins.models.openai.backoff import pause
from cornerman_plugins.models.openai.failures import Failure
from cornerman_plugins.models.openai.pace import Pace, guess, told
from cornerman_plugins.models.openai.target import Endpoint

MAX_BODY = 64 << 20
"""Bytes of an answer beyond which it is no answer."""
MAX_WAIT = 300.0
"""Seconds that a server may ask us to wait; one that asks for more has failed."""


@dataclass(frozen=True)
class Answer:
    """A body and what it took: tries, seconds of service, and seconds of waiting for a slot and between tries."""

    body: bytes
    tries: int
    seconds: float
    queue_seconds: float


@dataclass(frozen=True)
class Patience:
    """How long to wait and how often to try again. `timeout` is the seconds that one try may take.

    `rpm` and `tpm`: the most requests and tokens (prompt and output) a minute; None for no limit.
    """

    timeout: float = 120.0
    retries: int = 5
    rpm: float | None = None
    tpm: float | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.perf_counter


class Transport:
    """Requests to one endpoint, `connections` of them at a time. To be used within one event loop."""

    def __init__(self, endpoint: Endpoint, patience: Patience, connections: int) -> None:
        self.endpoint = endpoint
        self._patience = patience
        self._slots = asyncio.Semaphore(connections)
        self._jitter = random.Random()  # pauses need no seed: they change no result
        self._answered = False
        self._pace = Pace(patience.rpm, patience.tpm, patience.clock, patience.sleep)
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        self._client = httpx.AsyncClient(headers=headers, limits=limits, timeout=None)

    async def post(self, url: str, payload: Mapping[str, Any]) -> Answer:
        """Post JSON and return the body of a 200. Raises ModelError when the retries did not help."""
        try:
            content = msgspec.json.encode(payload)
        except UnicodeEncodeError as error:
            raise ModelError(f"a message holds a lone surrogate, which no request can carry: {error}") from error
        most = payload.get("max_tokens", payload.get("max_completion_tokens", 0)) * payload.get("n", 1)
        return await self._request("POST", url, content, guess(content, most))

    async def peek(self, url: str) -> bytes | None:
        """The body of a 200 from one try, or None: for routes that a server may lack."""
        outcome = await self._try("GET", url, None)
        return None if isinstance(outcome, Failure) else outcome

    async def models(self) -> list[str] | None:
        """The names of the models that the server lists, or None if it does not tell."""
        body = await self.peek(f"{self.endpoint.url}/models")
        try:
            return None if body is None else [model.id for model in msgspec.json.decode(body, type=_Models).data]
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _request(self, method: str, url: str, content: bytes | None, tokens: float) -> Answer:
        clock = self._patience.clock
        tries, seconds, queued = 0, 0.0, 0.0
        while True:
            waiting = clock()
            async with self._slots:
                await self._pace.admit(tokens)
                started = clock()
                queued += started - waiting
                outcome = await self._try(method, url, content)
                seconds += clock() - started
            tries += 1
            if isinstance(outcome, bytes):
                self._pace.mend(tokens, told(outcome))
                return Answer(outcome, tries, seconds, queued)
            wait = pause(tries, self._jitter) if outcome.after is None else outcome.after
            if not outcome.transient or tries > self._patience.retries or wait > MAX_WAIT:
                kind = ContextOverflow if outcome.overflow else ModelError
                raise kind(await self._sentence(outcome, tries, wait))
            waiting = clock()
            await self._patience.sleep(wait)
            queued += clock() - waiting

    async def _try(self, method: str, url: str, content: bytes | None) -> bytes | Failure:
        try:
            async with asyncio.timeout(self._patience.timeout):
                response, body = await self._exchange(method, url, content)
        except TimeoutError:
            return Failure(
                f"the server at {self.endpoint.url} did not answer within {self._patience.timeout:g} s "
                "(the model option timeout sets the limit).",
                transient=True,
            )
        except httpx.HTTPError as error:
            return failures.of_exception(error, self.endpoint, answered_before=self._answered)
        if body is None:
            return Failure(f"the server at {self.endpoint.url} answered with over {MAX_BODY >> 20} MiB.", False)
        return body if response.status_code == 200 else failures.of_status(response, body, self.endpoint)

    async def _exchange(self, method: str, url: str, content: bytes | None) -> tuple[httpx.Response, bytes | None]:
        """One exchange; the body is None if it is too long."""
        headers = {"Content-Type": "application/json"} if content is not None else {}
        body = bytearray()
        async with self._client.stream(method, url, content=content, headers=headers) as response:
            self._answered = True
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_BODY:
                    return response, None
        return response, bytes(body)

    async def _sentence(self, failure: Failure, tries: int, wait: float) -> str:
        sentence = failure.sentence
        if failure.status == 404 and (names := await self.models()) is not None:
            model = self.endpoint.model
            if model not in names:
                sentence = f"the server at {self.endpoint.url} serves no model '{model}'; {did_you_mean(model, names)}"
        elif failure.status == 404:
            sentence += " The URL of an OpenAI-compatible server usually ends in /v1."
        if failure.transient and wait > MAX_WAIT:
            sentence += f" It asks to wait for {wait:g} s."
        return f"{sentence} It was tried {tries} times." if tries > 1 else sentence


class _ModelName(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_ModelName]
