"""Rate limits kept on our side, by a clock that passes only when somebody sleeps."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cornerman.errors import UsageError
from cornerman.model import Sampling
from cornerman.records import Message
from cornerman_plugins.models.openai import openai
from cornerman_plugins.models.openai.pace import Pace

CHAT = (Message(role="user", content="Go?"),)


def passed(clock: Any, rpm: float | None, tpm: float | None, requests: int, tokens: float, told: int) -> list[float]:
    """When each of some requests passed, all of which came at once; `told` is what each turned out to cost."""
    times = []

    async def one(pace: Pace) -> None:
        await pace.admit(tokens)
        times.append(clock.now)
        pace.mend(tokens, told)

    async def everything() -> None:
        pace = Pace(rpm, tpm, clock, clock.sleep)
        await asyncio.gather(*(one(pace) for _ in range(requests)))

    asyncio.run(everything())
    return times


def test_requests_pass_at_the_limit_after_a_burst_of_a_tenth(clock: Any) -> None:
    times = passed(clock, rpm=60, tpm=None, requests=70, tokens=0, told=0)
    assert times[:6] == [0.0] * 6
    assert times[6:] == pytest.approx(range(1, 65))


def test_tokens_pass_at_the_limit_and_a_guess_is_mended(clock: Any) -> None:
    # 600 tokens a minute: 60 at once and 10 a second; guessed at 50, each costs 20, so that one passes every 2 s
    times = passed(clock, rpm=None, tpm=600, requests=30, tokens=50, told=20)
    assert times[-1] - times[-11] == pytest.approx(20.0)
    # and where each costs more than was guessed, what is overdrawn is waited for
    clock.now = 0.0
    times = passed(clock, rpm=None, tpm=600, requests=12, tokens=20, told=40)
    assert times[-1] - times[-6] == pytest.approx(20.0)


def test_one_that_is_larger_than_the_bucket_waits_for_a_full_one_and_passes(clock: Any) -> None:
    assert passed(clock, rpm=None, tpm=600, requests=2, tokens=1000, told=60) == pytest.approx([0.0, 6.0])


def test_no_limit_waits_for_nothing(clock: Any) -> None:
    assert passed(clock, None, None, 100, 1e9, 10**9) == [0.0] * 100


def test_a_model_waits_its_turn_and_the_wait_counts_as_queue(stub: Any, make: Any, using: Any, clock: Any) -> None:
    async def thrice(model: Any) -> Any:
        return [await model.generate(CHAT, Sampling(), seeds=[seed]) for seed in range(3)]

    answers = using(make(rpm=10), thrice)
    assert [a.usage.queue_seconds for a in answers] == pytest.approx([0.0, 6.0, 6.0])
    assert len(stub.chats()) == 3


@pytest.mark.parametrize("limit", [{"rpm": 0.0}, {"tpm": -1.0}])
def test_a_limit_of_nothing_is_refused(limit: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="rpm and tpm must be positive"):
        openai("http://localhost:1/v1#m", **limit)  # type: ignore[arg-type]
