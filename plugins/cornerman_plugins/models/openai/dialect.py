"""How the servers that speak OpenAI's protocol differ: the spelling of constraints, and what they can tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from cornerman.model import Capability, Sampling

Spelling = Literal["json_schema", "structured_outputs", "guided", "grammar", "none"]
"""How a server is told to choose among given texts. `guided` is that of vLLM before 0.12."""
Scheme = Literal["openai", "vllm", "llamacpp-server"]

_SEED_BITS = 31
_JSON_TOKENS = 16  # room for what may stand around a chosen text: braces, the key, the end of the turn


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of the server, apart from sampling. Recorded by `describe`."""

    choices: Spelling
    n: bool = False
    logprobs: bool = False
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    thinking: bool | None = None
    effort: str | None = None


def capabilities(scheme: Scheme, options: Options) -> frozenset[Capability]:
    """What a server of this kind can do; `probe` says whether the one at hand really does.

    Only vLLM is trusted to score given texts. The completions route of other servers either has no log-probabilities
    of a prompt or, as the server of llama-cpp-python, gives wrong ones.
    """
    can: set[Capability] = {"generate"}
    if options.choices != "none":
        can.add("choices")
    if options.choices in ("structured_outputs", "guided"):
        can.add("regex")
    if options.logprobs:
        can.add("logprobs")
    if scheme == "vllm":
        can |= {"token_ids", "score"}
    return frozenset(can)


def request(scheme: Scheme, options: Options, sampling: Sampling, seed: int, n: int) -> dict[str, Any]:
    """The body of a chat completion, but for model and messages.

    Seeds are cut to 31 bits, which every server takes. A choice gets as many tokens as its longest text can need, since
    one that broke off is none; the constraint ends it in time.
    """
    choosing = sampling.choices if options.choices != "none" else None
    longest = max((len(msgspec.json.encode(choice)) for choice in choosing or ()), default=0)
    body: dict[str, Any] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        options.limit: max(sampling.max_tokens, longest + _JSON_TOKENS) if choosing else sampling.max_tokens,
        "seed": seed % (1 << _SEED_BITS),
        **constraint(options.choices, sampling),
        **template(options),
    }
    if n > 1:
        body["n"] = n
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if options.logprobs:
        body["logprobs"] = True
    if options.logprobs and scheme == "llamacpp-server":
        body["top_logprobs"] = 1  # llama-cpp-python gives none at all without it
    if options.effort is not None:
        body["reasoning_effort"] = options.effort
    if scheme == "vllm":
        body["return_token_ids"] = True
    return body


def template(options: Options) -> dict[str, Any]:
    """Arguments of the chat template, as vLLM, SGLang and llama.cpp take them."""
    return {} if options.thinking is None else {"chat_template_kwargs": {"enable_thinking": options.thinking}}


def constraint(spelling: Spelling, sampling: Sampling) -> dict[str, Any]:
    """The fields that restrict the text to `choices`, else to `regex`, where the spelling has any."""
    if sampling.choices:
        return _choose(spelling, list(dict.fromkeys(sampling.choices)))
    if sampling.regex is not None:
        if spelling == "structured_outputs":
            return {"structured_outputs": {"regex": sampling.regex}}
        if spelling == "guided":
            return {"guided_regex": sampling.regex}
    return {}


def _choose(spelling: Spelling, choices: list[str]) -> dict[str, Any]:
    match spelling:
        case "structured_outputs":
            return {"structured_outputs": {"choice": choices}}
        case "guided":
            return {"guided_choice": choices}
        case "grammar":
            return {"grammar": gbnf(choices)}
        case "json_schema":
            schema = {
                "type": "object",
                "properties": {"choice": {"type": "string", "enum": choices}},
                "required": ["choice"],
                "additionalProperties": False,
            }
            wanted = {"name": "choice", "strict": True, "schema": schema}
            return {"response_format": {"type": "json_schema", "json_schema": wanted}}
        case "none":
            return {}


def gbnf(choices: Sequence[str]) -> str:
    """A grammar in llama.cpp's GBNF that accepts the given texts and no other."""
    return "root ::= " + " | ".join(f'"{"".join(map(_literal, choice))}"' for choice in choices)


def _literal(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isascii() and character.isprintable():
        return character
    return f"\\U{ord(character):08X}"


class _Chosen(msgspec.Struct):
    choice: str


def chosen(text: str) -> str | None:
    """The text within the JSON that the spelling `json_schema` makes, or None if it is not whole."""
    try:
        return msgspec.json.decode(text, type=_Chosen).choice
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
