"""Rate limits of an endpoint kept on our side: so many requests and tokens a minute, so that none is turned away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

BURST_SECONDS = 6.0
"""How much of a limit may be used at once: a tenth of a minute's, and one request in any case."""
BYTES_PER_TOKEN = 4.0
"""Of a request's JSON, to guess its prompt's tokens by; the guess is mended when the answer tells."""


class _Usage(msgspec.Struct):
    total_tokens: int = 0


class _Body(msgspec.Struct):
    usage: _Usage | None = None


def guess(content: bytes | None, payload_tokens: int) -> float:
    """Tokens that a request will cost at most, before it is answered: its prompt and all that it may generate."""
    return len(content or b"") / BYTES_PER_TOKEN + payload_tokens


def told(body: bytes) -> int | None:
    """The tokens that an answer says it cost, or None where it does not say."""
    try:
        usage = msgspec.json.decode(body, type=_Body).usage
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return None if usage is None or usage.total_tokens <= 0 else usage.total_tokens


class Bucket:
    """A token bucket: fills at `rate` a second up to `size`, and may be overdrawn by what turned out to cost more."""

    def __init__(self, rate: float, size: float, now: float) -> None:
        self.rate, self.size = rate, size
        self._level, self._at = size, now

    def wait(self, now: float, amount: float) -> float:
        """Seconds until the amount is there; one beyond the bucket's size has to wait for a full one."""
        self._level = min(self.size, self._level + (now - self._at) * self.rate)
        self._at = now
        return max(0.0, (min(amount, self.size) - self._level) / self.rate)

    def take(self, amount: float) -> None:
        """Take it; a negative amount gives back."""
        self._level = min(self.size, self._level - amount)


class Pace:
    """Lets requests pass in the order in which they came, at no more than the limits. None: no limit."""

    def __init__(
        self,
        requests: float | None,
        tokens: float | None,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._clock, self._sleep, self._turn = clock, sleep, asyncio.Lock()
        now = clock()
        part = BURST_SECONDS / 60
        self._requests = None if requests is None else Bucket(requests / 60, max(1.0, requests * part), now)
        self._tokens = None if tokens is None else Bucket(tokens / 60, tokens * part, now)

    async def admit(self, tokens: float) -> None:
        """Wait for a request's turn, and count it with the tokens that it may cost."""
        wanted = [(b, a) for b, a in ((self._requests, 1.0), (self._tokens, tokens)) if b is not None]
        if not wanted:
            return
        async with self._turn:
            while wait := max(bucket.wait(self._clock(), amount) for bucket, amount in wanted):
                await self._sleep(wait)
            for bucket, amount in wanted:
                bucket.take(amount)

    def mend(self, guessed: float, cost: int | None) -> None:
        """Put a guess right when the answer told what it cost."""
        if self._tokens is not None and cost is not None:
            self._tokens.take(cost - guessed)
