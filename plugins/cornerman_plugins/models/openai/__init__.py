"""Models behind an OpenAI-compatible server: `openai:`, `vllm:` and `llamacpp-server:` followed by `URL#NAME`.

The three factories differ in how they ask for a choice among texts and in what they expect the server to tell. The
options that they share:

- `key`: name of the environment variable that holds the key (by default `OPENAI_API_KEY`, `VLLM_API_KEY` or
  `LLAMA_API_KEY`, each used only if it is set). The key is never recorded.
- `timeout`: seconds that one try of a request may take; `retries`: further tries after a busy server (429, honouring
  Retry-After), a failing one (5xx), a timeout or a broken connection; `connections`: requests at a time.
- `rpm`, `tpm`: the most requests and tokens a minute, kept on our side; none by default.
- `logprobs`: ask for log-probabilities of sampled tokens; `n`: several samples in one request where the seeds allow.
- `thinking`: true or false for the chat template's `enable_thinking`; `effort`: the `reasoning_effort` of the request.

Temperature, top_p and max_tokens in a model URI belong to sampling and do not come here.
"""

from __future__ import annotations

from typing import Literal

from cornerman.errors import UsageError
from cornerman_plugins.models.openai.backend import OpenAIModel
from cornerman_plugins.models.openai.dialect import Options, Scheme
from cornerman_plugins.models.openai.target import parse_target
from cornerman_plugins.models.openai.transport import Patience


def openai(
    target: str,
    *,
    key: str | None = None,
    timeout: float = 120.0,
    retries: int = 5,
    rpm: float | None = None,
    tpm: float | None = None,
    connections: int = 32,
    choices: Literal["json_schema", "none"] = "json_schema",
    logprobs: bool = False,
    n: bool = False,
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens",
    effort: str | None = None,
    thinking: bool | None = None,
) -> OpenAIModel:
    """Any server with OpenAI's chat completions. `limit` names the field for max_tokens that the server knows."""
    options = Options(choices=choices, n=n, logprobs=logprobs, limit=limit, thinking=thinking, effort=effort)
    patience = Patience(timeout=timeout, retries=retries, rpm=rpm, tpm=tpm)
    return _make("openai", target, "OPENAI_API_KEY", key, options, patience, connections)


def vllm(
    target: str,
    *,
    key: str | None = None,
    timeout: float = 120.0,
    retries: int = 5,
    rpm: float | None = None,
    tpm: float | None = None,
    connections: int = 64,
    choices: Literal["structured_outputs", "guided", "json_schema", "none"] = "structured_outputs",
    logprobs: bool = True,
    n: bool = True,
    effort: str | None = None,
    thinking: bool | None = None,
) -> OpenAIModel:
    """A vLLM server: choices, regular expressions, token ids, log-probabilities, scoring. `guided`: before 0.12."""
    options = Options(choices=choices, n=n, logprobs=logprobs, thinking=thinking, effort=effort)
    patience = Patience(timeout=timeout, retries=retries, rpm=rpm, tpm=tpm)
    return _make("vllm", target, "VLLM_API_KEY", key, options, patience, connections)


def llamacpp_server(
    target: str,
    *,
    key: str | None = None,
    timeout: float = 120.0,
    retries: int = 5,
    rpm: float | None = None,
    tpm: float | None = None,
    connections: int = 8,
    choices: Literal["grammar", "json_schema", "none"] = "grammar",
    logprobs: bool = True,
    thinking: bool | None = None,
) -> OpenAIModel:
    """The server of llama.cpp or of llama-cpp-python: choices by a grammar, no scoring.

    That of llama-cpp-python gives log-probabilities only when started with `--logits_all true`; else the option
    `logprobs=false` is needed. Measured with its version 0.3.36: they are those before the grammar.
    """
    options = Options(choices=choices, logprobs=logprobs, thinking=thinking)
    patience = Patience(timeout=timeout, retries=retries, rpm=rpm, tpm=tpm)
    return _make("llamacpp-server", target, "LLAMA_API_KEY", key, options, patience, connections)


def _make(
    scheme: Scheme,
    target: str,
    variable: str,
    key: str | None,
    options: Options,
    patience: Patience,
    connections: int,
) -> OpenAIModel:
    rates = [rate for rate in (patience.rpm, patience.tpm) if rate is not None]
    if patience.timeout <= 0 or patience.retries < 0 or connections < 1 or min(rates, default=1.0) <= 0:
        raise UsageError(
            f"model '{scheme}:{target}': timeout, connections, rpm and tpm must be positive and retries at least 0"
        )
    endpoint = parse_target(scheme, target, key or variable, key_required=key is not None)
    return OpenAIModel(scheme, endpoint, options, patience=patience, connections=connections)
