"""A misbehaving server: what is tried again, and what is said when it does not help."""

from __future__ import annotations

import asyncio
import random
import socket
from datetime import UTC, datetime
from typing import Any

import pytest

from cornerman.errors import ContextOverflow, ModelError
from cornerman.model import Sampling
from cornerman.records import Message
from cornerman_plugins.models.openai import transport
from cornerman_plugins.models.openai.backoff import FIRST, LONGEST, pause, retry_after

CHAT = (Message(role="user", content="Go?"),)


async def ask(model: Any) -> Any:
    return await model.generate(CHAT, Sampling(), seeds=[1])


def test_a_storm_of_429_is_weathered(stub: Any, make: Any, using: Any, bad: Any, clock: Any) -> None:
    stub.script = [bad.status(429, Retry_After="7")] * 3
    answer = using(make(), ask)
    assert answer.completions[0].text == "Hello there"
    assert clock.slept == [7, 7, 7]
    assert answer.usage.calls == 4
    assert answer.usage.queue_seconds == 21
    assert answer.usage.seconds == 0  # by the fake clock, which stands still while the server works


def test_without_a_word_from_the_server_the_pauses_grow(stub: Any, make: Any, using: Any, bad: Any, clock: Any) -> None:
    stub.script = [bad.status(503)] * 5
    assert using(make(), ask).usage.calls == 6
    for tries, slept in enumerate(clock.slept, start=1):
        assert FIRST * 2 ** (tries - 1) / 2 <= slept <= FIRST * 2 ** (tries - 1)


@pytest.mark.parametrize("how", ["reset", "half_closed", "hang_up", "broken_chunk"])
def test_a_broken_connection_is_tried_again(stub: Any, make: Any, using: Any, bad: Any, clock: Any, how: str) -> None:
    stub.script = [getattr(bad, how)]
    answer = using(make(), ask)
    assert answer.completions[0].text == "Hello there"
    assert answer.usage.calls == 2
    assert len(clock.slept) == 1


@pytest.mark.parametrize("how", ["reset", "half_closed", "hang_up", "broken_chunk"])
def test_a_connection_that_keeps_breaking_is_a_model_error(
    stub: Any, make: Any, using: Any, bad: Any, how: str
) -> None:
    stub.script = [getattr(bad, how)] * 3
    with pytest.raises(ModelError, match=r"the connection to .* broke .* It was tried 3 times\."):
        using(make(retries=2), ask)
    assert len(stub.chats()) == 3


def test_a_stalled_answer_is_tried_again(stub: Any, make: Any, using: Any, bad: Any) -> None:
    stub.script = [bad.stall]
    assert using(make(timeout=1.0), ask).usage.calls == 2


def test_an_answer_that_keeps_stalling_is_a_model_error(stub: Any, make: Any, using: Any, bad: Any) -> None:
    stub.script = [bad.stall] * 2
    with pytest.raises(ModelError, match=r"did not answer within 0\.2 s \(the model option timeout"):
        using(make(timeout=0.2, retries=1), ask)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_a_server_that_keeps_failing_is_a_model_error(stub: Any, make: Any, using: Any, bad: Any, status: int) -> None:
    stub.script = [bad.status(status, {"error": {"message": "out of\norder\x1b[2J"}})] * 3
    with pytest.raises(ModelError, match=rf"\(HTTP {status}: out of order \[2J\)\. It was tried 3 times\.$"):
        using(make(retries=2), ask)


def test_a_server_that_asks_to_wait_too_long_has_failed(stub: Any, make: Any, using: Any, bad: Any, clock: Any) -> None:
    stub.script = [bad.status(429, Retry_After="86400")]
    with pytest.raises(ModelError, match="asks to wait for 86400 s"):
        using(make(), ask)
    assert clock.slept == []


@pytest.mark.parametrize("status", [400, 413, 422, 501])
def test_a_refused_request_is_not_tried_again(
    stub: Any, make: Any, using: Any, bad: Any, clock: Any, status: int
) -> None:
    stub.script = [bad.status(status, {"error": {"message": "maximum context length is 2048"}})]
    with pytest.raises(ModelError, match=f"refuses the request .HTTP {status}: maximum context length is 2048"):
        using(make(), ask)
    assert clock.slept == []


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "too many", "code": "context_length_exceeded"}, ContextOverflow),
        ({"message": "This model's maximum context length is 2048 tokens. However, you requested"}, ContextOverflow),
        ({"message": "the request exceeds the available context size"}, ContextOverflow),
        ({"message": "prompt is too long: 9000 tokens > 8192 maximum"}, ContextOverflow),
        ({"message": "temperature is too long for context"}, ModelError),
    ],
)
def test_a_prompt_that_does_not_fit_is_told_from_other_refusals(
    stub: Any, make: Any, using: Any, bad: Any, error: dict[str, str], kind: type[ModelError]
) -> None:
    stub.script = [bad.status(400, {"error": error})]
    with pytest.raises(ModelError) as raised:
        using(make(), ask)
    assert raised.type is kind


def test_a_used_up_quota_is_not_waited_for(stub: Any, make: Any, using: Any, bad: Any, clock: Any) -> None:
    stub.script = [bad.status(429, {"error": {"message": "pay", "code": "insufficient_quota"}})]
    with pytest.raises(ModelError, match="quota is used up"):
        using(make(), ask)
    assert clock.slept == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>gateway</html>",
        b'{"choices": [',
        b"\xff\xfe",
        b"null",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"choices": {}}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": [{"message": "hello"}]}',
        b'{"choices": [{"message": {"content": "x"}, "logprobs": {"content": [{"logprob": null}]}}]}',
        b'{"choices": [{"message": {"content": "x"}, "logprobs": {"content": [{"logprob": NaN}]}}]}',
        b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": "many"}}',
        b'{"choices": [{"message": {"content": "x"}}, {"message": {"content": "y"}}]}',
    ],
)
def test_an_answer_that_is_none_is_a_model_error(stub: Any, make: Any, using: Any, bad: Any, body: bytes) -> None:
    stub.script = [bad.status(200, body)]
    with pytest.raises(ModelError, match="the server at"):
        using(make(), ask)


def test_an_endless_answer_is_cut(stub: Any, make: Any, using: Any, bad: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MAX_BODY", 1 << 20)
    stub.script = [bad.status(200, b" " * (2 << 20))]
    with pytest.raises(ModelError, match="over 1 MiB"):
        using(make(), ask)


# people's mistakes


def test_a_refused_key_names_the_variable_and_not_the_key(
    stub: Any, make: Any, using: Any, bad: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORNERMAN_TEST_KEY", "sk-very-secret")
    model = make()
    assert "sk-very-secret" not in f"{model.name} {model.describe()} {model.transport.endpoint!r}"
    stub.script = [bad.status(401, {"error": {"message": "Incorrect API key provided: sk-very-secret."}})]
    with pytest.raises(ModelError) as error:
        using(model, ask)
    assert stub.seen[0].headers["authorization"] == "Bearer sk-very-secret"
    assert "is the one in the environment variable CORNERMAN_TEST_KEY right?" in str(error.value)
    assert "sk-very-secret" not in str(error.value)


def test_a_missing_key_says_where_to_put_one(
    stub: Any, make: Any, using: Any, bad: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CORNERMAN_TEST_KEY", raising=False)
    stub.script = [bad.status(401)]
    with pytest.raises(ModelError, match="put one into the environment variable CORNERMAN_TEST_KEY"):
        using(make(), ask)
    assert "authorization" not in stub.seen[0].headers


def test_an_unknown_model_is_answered_with_those_served(stub: Any, make: Any, using: Any, bad: Any) -> None:
    stub.script = [bad.status(404, {"error": {"message": "The model `tini` does not exist."}})]
    with pytest.raises(ModelError, match="serves no model 'tini'; did you mean 'tiny'"):
        using(make(name="tini"), ask)


def test_a_wrong_path_is_told_from_an_unknown_model(stub: Any, make: Any, using: Any) -> None:
    with pytest.raises(ModelError, match=r"HTTP 404: Not Found\)\. The URL .* usually ends in /v1"):
        using(make(url=stub.url.removesuffix("/v1")), ask)


def test_a_redirect_is_not_followed_with_the_key(
    stub: Any, make: Any, using: Any, bad: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORNERMAN_TEST_KEY", "sk-very-secret")
    stub.script = [bad.status(307, "", Location="http://127.0.0.1:1/v1")]
    with pytest.raises(ModelError, match="redirects to http://127"):
        using(make(), ask)
    assert len(stub.seen) == 1


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_a_server_that_is_not_there_is_not_waited_for(make: Any, using: Any, clock: Any) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(ModelError, match=rf"no connection to {url} .* is the server running there\?"):
        using(make(url=url), ask)
    assert clock.slept == []


def test_a_server_that_was_there_before_is_waited_for(stub: Any, make: Any, using: Any, clock: Any) -> None:
    async def twice(model: Any) -> None:
        await ask(model)
        model.transport.endpoint = make(url=f"http://127.0.0.1:{free_port()}/v1").transport.endpoint
        with pytest.raises(ModelError, match=r"is the server running there\? It was tried 3 times"):
            await ask(model)

    using(make(retries=2), twice)
    assert len(clock.slept) == 2


# side by side


def test_no_more_requests_at_a_time_than_connections(stub: Any, make: Any, using: Any) -> None:
    def held(handler: Any) -> None:
        handler.stub.release.wait()
        handler.reply(200, {"choices": [{"message": {"content": "x"}}]})

    stub.script = [held] * 6

    async def many(model: Any) -> int:
        work = asyncio.ensure_future(model.generate(CHAT, Sampling(), seeds=[1, 3, 5, 7, 9, 11]))
        while stub.active < 2:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)  # time in which a third would come if it could
        active: int = stub.active
        stub.release.set()
        await work
        return active

    assert using(make(connections=2), many) == 2
    assert len(stub.chats()) == 6


def test_one_failed_sample_fails_the_call_with_its_own_sentence(stub: Any, make: Any, using: Any, bad: Any) -> None:
    stub.script = [bad.status(400, {"error": {"message": "no"}}), bad.stall, bad.stall]
    with pytest.raises(ModelError, match="HTTP 400: no"):
        using(make(), lambda model: model.generate(CHAT, Sampling(), seeds=[1, 3, 5]))


def test_a_cancelled_call_is_cancelled(stub: Any, make: Any, using: Any, bad: Any) -> None:
    stub.script = [bad.stall]

    async def cancelled(model: Any) -> bool:
        work = asyncio.ensure_future(ask(model))
        while not stub.active:
            await asyncio.sleep(0.01)
        work.cancel()
        try:
            await work
        except asyncio.CancelledError:
            return True
        return False

    assert using(make(), cancelled)


# when to try again


def test_pauses_are_bounded_and_never_nothing() -> None:
    jitter = random.Random(0)
    for tries in (1, 2, 5, 50, 5000):
        whole = min(LONGEST, FIRST * 2.0 ** min(tries - 1, 30))
        drawn = [pause(tries, jitter) for _ in range(200)]
        assert whole / 2 <= min(drawn) < max(drawn) <= whole


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("12", 12.0),
        (" 0 ", 0.0),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("-3", None),
        ("1e9", None),
        ("\u0663", None),
        ("", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)) == seconds
