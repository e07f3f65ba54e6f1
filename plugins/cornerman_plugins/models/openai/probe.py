"""What a server really can do, as against what servers of its kind are said to: `cornerman doctor --model URI`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from cornerman.errors import ModelError
from cornerman.model import Sampling
from cornerman.records import Message

if TYPE_CHECKING:
    from cornerman_plugins.models.openai.backend import OpenAIModel

_ASK = (Message(role="user", content="Say hello."),)
_UNLIKELY = ("seven green anvils", "eleven copper kites")  # what no model says unless it must


async def probe(model: OpenAIModel) -> dict[str, Any]:
    """A report for a person and for comparing an endpoint at start and resume.

    `models` lists what the server serves (None if it does not tell) and `version` is the server's own, where it has a
    route for it. `checks` says "ok" or what is wrong, for generation, token usage and each capability of the model.
    `fingerprint` holds the log-probabilities (nats) of a greedy answer to a fixed question, None where not offered.
    """
    checks: dict[str, str] = {}
    report: dict[str, Any] = {
        "name": model.name,
        "models": await model.transport.models(),
        "version": await _version(model),
        "checkpoint": None,
        "fingerprint": None,
        "checks": checks,
    }
    try:
        greeting = await model.generate(_ASK, Sampling(max_tokens=8), seeds=[0])
    except ModelError as error:
        checks["generate"] = str(error)
        return report
    first = greeting.completions[0]
    report |= {"checkpoint": greeting.checkpoint, "fingerprint": first.logprobs}
    checks["generate"] = "ok"
    counted = greeting.usage.prompt + greeting.usage.cached and greeting.usage.output
    checks["usage"] = "ok" if counted else "the server reports no token usage: costs will read 0"
    if "logprobs" in model.capabilities:
        checks["logprobs"] = "ok" if first.logprobs else "the server gives no log-probabilities"
    if "token_ids" in model.capabilities:
        checks["token_ids"] = "ok" if first.ids and greeting.prompt_ids else "the server gives no token ids"
    if "choices" in model.capabilities:
        checks["choices"] = await _choices(model)
    if "regex" in model.capabilities:
        checks["regex"] = await _regex(model)
    if "score" in model.capabilities:
        checks["score"] = await _score(model)
    return report


async def _choices(model: OpenAIModel) -> str:
    try:
        answer = await model.generate(_ASK, Sampling(max_tokens=16, choices=_UNLIKELY), seeds=[0])
    except ModelError as error:
        return str(error)
    text = answer.completions[0].text
    return "ok" if text in _UNLIKELY else f"the server ignores choices: it answered {text!r} (model option choices=…)"


async def _regex(model: OpenAIModel) -> str:
    try:
        answer = await model.generate(_ASK, Sampling(max_tokens=8, regex="[0-9]{3}"), seeds=[0])
    except ModelError as error:
        return str(error)
    text = answer.completions[0].text
    return "ok" if len(text) == 3 and text.isdigit() else f"the server ignores the regex: it answered {text!r}"


async def _score(model: OpenAIModel) -> str:
    try:
        await model.score(_ASK, ["Hello!"])
    except ModelError as error:
        return str(error)
    return "ok"


class _Version(msgspec.Struct):
    version: str | None = None  # of vLLM
    build_info: str | None = None  # of llama.cpp


async def _version(model: OpenAIModel) -> str | None:
    route = {"vllm": "version", "llamacpp-server": "props"}.get(model.scheme)
    body = await model.transport.peek(f"{model.transport.endpoint.root}/{route}") if route else None
    try:
        told = _Version() if body is None else msgspec.json.decode(body, type=_Version)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return told.version or told.build_info
