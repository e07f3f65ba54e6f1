"""Scoring given answers with vLLM, and finding out what a server can really do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cornerman.errors import ModelError
from cornerman.records import Completion, Message

CHAT = (Message(role="user", content="Go?"),)
PROMPT = (11, *map(ord, "Go?"), 2, 12)


def scoring(*texts: str) -> Any:
    return lambda model: model.score(CHAT, texts)


def test_whole_answers_are_scored_within_the_chat(stub: Any, make: Any, using: Any) -> None:
    answer = using(make("vllm"), scoring("go", "go east"))
    assert answer.prompt_ids == PROMPT
    for completion, text in zip(answer.completions, ("go", "go east"), strict=True):
        ids = (*map(ord, text), 2)  # the end of the turn belongs to the answer
        assert completion == Completion(text=text, ids=ids, logprobs=tuple(-i / 100 for i in ids), finish="scored")
    asked = [seen.body for seen in stub.seen if seen.path == "/v1/completions"]
    assert sorted(body["prompt"] for body in asked) == sorted([*PROMPT, *c.ids] for c in answer.completions)
    assert answer.usage.calls == 2
    assert answer.usage.prompt == sum(len(body["prompt"]) for body in asked)


def test_the_end_of_a_turn_is_asked_for_once(stub: Any, make: Any, using: Any) -> None:
    async def twice(model: Any) -> None:
        await model.score(CHAT, ["a"])
        await model.score(CHAT, ["b"])

    using(make("vllm", thinking=False), twice)
    tokenized = [seen.body for seen in stub.seen if seen.path == "/tokenize"]
    assert sum("continue_final_message" in body for body in tokenized) == 1
    assert all(body["chat_template_kwargs"] == {"enable_thinking": False} for body in tokenized if "messages" in body)


@pytest.mark.parametrize("scheme", ["openai", "llamacpp-server"])
def test_servers_that_cannot_score_do_not_claim_to(make: Any, using: Any, scheme: str) -> None:
    model = make(scheme)
    assert "score" not in model.capabilities
    with pytest.raises(ModelError, match="cannot score given texts"):
        using(model, scoring("go"))


def test_a_server_without_a_tokenizer_route_is_a_model_error(stub: Any, make: Any, using: Any, bad: Any) -> None:
    stub.script = [bad.status(404, {"detail": "Not Found"})]
    with pytest.raises(ModelError, match="HTTP 404"):
        using(make("vllm"), scoring("go"))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda choice: choice.pop("prompt_logprobs"),
        lambda choice: choice["prompt_logprobs"].pop(),
        lambda choice: choice["prompt_logprobs"].__setitem__(-1, None),
        lambda choice: choice["prompt_logprobs"].__setitem__(-1, {"99": {"logprob": -1.0}}),
        lambda choice: choice["prompt_logprobs"].__setitem__(-1, {"2": {"logprob": None}}),
    ],
    ids=["absent", "short", "none", "another token", "no number"],
)
def test_scores_that_are_not_whole_are_a_model_error(
    stub: Any, make: Any, using: Any, monkeypatch: pytest.MonkeyPatch, spoil: Any
) -> None:
    prompt = [*PROMPT, *map(ord, "go"), 2]
    choice = {"prompt_logprobs": [None, *({str(i): {"logprob": -1.0}} for i in prompt[1:])]}
    spoil(choice)

    async def with_a_bad_answer(model: Any) -> None:
        await model.score(CHAT, ["x"])  # the end of the turn is known from here on
        stub.script = [
            lambda h: h.reply(200, {"tokens": list(PROMPT)}),
            lambda h: h.reply(200, {"tokens": list(map(ord, "go"))}),
            lambda h: h.reply(200, {"choices": [choice]}),
        ]
        with pytest.raises(ModelError, match=r"log-probabilities|OpenAI's protocol"):
            await model.score(CHAT, ["go"])

    using(make("vllm"), with_a_bad_answer)


def test_a_probe_of_a_good_server(make: Any, using: Any) -> None:
    report = using(make("vllm", logprobs=True), lambda model: model.probe())
    assert report["models"] == ["tiny", "tiny-instruct"]
    assert report["version"] == "0.32.0"
    assert report["checkpoint"] == "tiny-2026/fp1"
    assert report["fingerprint"] == (-0.5, -1.5)
    can = ("generate", "usage", "logprobs", "token_ids", "choices", "regex", "score")
    assert report["checks"] == dict.fromkeys(can, "ok")
    json.dumps(report)


def test_a_probe_finds_what_a_server_ignores(stub: Any, make: Any, using: Any) -> None:
    stub.honours = False
    stub.answer = {"usage": None, "choices": [{"message": {"content": "Hello there"}}]}
    checks = using(make("vllm", logprobs=True), lambda model: model.probe())["checks"]
    assert checks["generate"] == checks["score"] == "ok"
    assert "no token usage" in checks["usage"]
    assert "no log-probabilities" in checks["logprobs"]
    assert "no token ids" in checks["token_ids"]
    assert "ignores choices: it answered 'Hello there'" in checks["choices"]
    assert "ignores the regex" in checks["regex"]


def test_a_probe_of_a_server_that_is_down_says_so(make: Any, using: Any) -> None:
    report = using(make("vllm", url="http://127.0.0.1:1/v1"), lambda model: model.probe())
    assert report["models"] is None
    assert list(report["checks"]) == ["generate"]
    assert "is the server running there?" in report["checks"]["generate"]
