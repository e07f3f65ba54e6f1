"""From the JSON of a chat completion to completions and usage, with every field's type checked."""

from __future__ import annotations

from typing import Literal, TypeVar

import msgspec

from cornerman.errors import ModelError
from cornerman.records import Completion, Usage
from cornerman_plugins.models.openai.target import Endpoint
from cornerman_plugins.models.openai.transport import Answer


class _CachedTokens(msgspec.Struct):
    cached_tokens: int | None = None


class _ReasoningTokens(msgspec.Struct):
    reasoning_tokens: int | None = None


class TokenUsage(msgspec.Struct):
    """The `usage` field; `prompt_tokens` includes cached ones, `completion_tokens` reasoning."""

    prompt_tokens: int = 0
    completion_tokens: int | None = 0
    prompt_tokens_details: _CachedTokens | None = None
    completion_tokens_details: _ReasoningTokens | None = None


class _Token(msgspec.Struct):
    logprob: float


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    index: int = 0
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None
    token_ids: list[int] | None = None


class ChatCompletion(msgspec.Struct):
    """The fields of an answer that are read; others are passed over. The last three are vLLM's."""

    choices: list[_Choice]
    model: str | None = None
    system_fingerprint: str | None = None
    usage: TokenUsage | None = None
    prompt_token_ids: list[int] | None = None


Body = TypeVar("Body")


def decode(answer: Answer, kind: type[Body], endpoint: Endpoint) -> Body:
    """The body as `kind`; anything else raises ModelError with the place where it differs."""
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        begin = endpoint.redact(answer.body[:200].decode("utf-8", "replace"))
        raise ModelError(
            f"the server at {endpoint.url} answered with something else than OpenAI's protocol has ({error}): {begin!r}"
        ) from error


def completions(chat: ChatCompletion, n: int, endpoint: Endpoint) -> tuple[Completion, ...]:
    """The n completions of an answer, in the order of their indices. Raises ModelError if there are not n."""
    if len(chat.choices) != n:
        hint = "; leave the model option n off." if n > 1 else "."
        raise ModelError(f"the server at {endpoint.url} gave {len(chat.choices)} completions instead of {n}{hint}")
    return tuple(_completion(choice, endpoint) for choice in sorted(chat.choices, key=lambda c: c.index))


def _completion(choice: _Choice, endpoint: Endpoint) -> Completion:
    tokens = choice.logprobs.content if choice.logprobs is not None else None
    logprobs = None if tokens is None else tuple(token.logprob for token in tokens)
    ids = None if choice.token_ids is None else tuple(choice.token_ids)
    if ids is not None and logprobs is not None and len(ids) != len(logprobs):
        raise ModelError(
            f"the server at {endpoint.url} gave {len(ids)} token ids and {len(logprobs)} log-probabilities for one "
            "completion, so that neither can be trusted."
        )
    finish: Literal["stop", "length", "other"] = "other"
    if choice.finish_reason in ("stop", "length"):
        finish = "stop" if choice.finish_reason == "stop" else "length"
    return Completion(text=choice.message.content or "", ids=ids, logprobs=logprobs, finish=finish)


def usage(reported: TokenUsage | None, answer: Answer) -> Usage:
    """What one answer cost. Where the server reports no usage, tokens read 0; `probe` tells so beforehand."""
    tokens = reported or TokenUsage()
    cached = (tokens.prompt_tokens_details and tokens.prompt_tokens_details.cached_tokens) or 0
    reasoning = (tokens.completion_tokens_details and tokens.completion_tokens_details.reasoning_tokens) or 0
    return Usage(
        calls=answer.tries,
        prompt=max(0, tokens.prompt_tokens - cached),
        cached=cached,
        output=tokens.completion_tokens or 0,
        reasoning=reasoning,
        seconds=answer.seconds,
        queue_seconds=answer.queue_seconds,
    )


def together(usages: list[Usage]) -> Usage:
    """Usage of requests that ran side by side: tokens and calls add up, the slowest one sets the seconds."""
    return msgspec.structs.replace(
        sum(usages, Usage()),
        seconds=max((u.seconds for u in usages), default=0.0),
        queue_seconds=max((u.queue_seconds for u in usages), default=0.0),
    )
