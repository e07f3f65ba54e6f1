"""What went wrong with a request: one sentence for the person, and whether another try may help."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec

from cornerman_plugins.models.openai.backoff import retry_after
from cornerman_plugins.models.openai.target import Endpoint

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""HTTP statuses after which the same request may succeed; 52x are those of proxies and overloaded vendors."""
OVERFLOW = re.compile(r"context[_ ](length|size|window)|prompt is too long|max(imum)? (model|input|context) len", re.I)
"""How servers say that a prompt does not fit: OpenAI's code, and the sentences of vLLM, llama.cpp and SGLang."""
_EXCERPT = 300


@dataclass(frozen=True)
class Failure:
    """A failed try.

    `after` is how many seconds the server asks to wait; `status` the HTTP status, if there was one. `overflow`: the
    prompt was longer than the model's context.
    """

    sentence: str
    transient: bool
    after: float | None = None
    status: int | None = None
    overflow: bool = False


def of_status(response: httpx.Response, body: bytes, endpoint: Endpoint) -> Failure:
    """The failure that a status other than 200 means."""
    status, (said, code) = response.status_code, _said(body, endpoint)
    where = f"the server at {endpoint.url}"
    if status in (401, 403):
        variable = f"the environment variable {endpoint.key_variable}"
        holds = f"is the one in {variable} right?" if endpoint.key else f"put one into {variable}."
        return Failure(f"{where} refuses the key (HTTP {status}{said}); {holds}", False, status=status)
    if response.is_redirect:
        to = endpoint.redact(response.headers.get("location", "another place"))
        return Failure(f"{where} redirects to {to}; use the URL that answers itself.", False, status=status)
    if code == "insufficient_quota":  # some vendors say so with a 429, which no waiting mends
        return Failure(f"{where} says that the quota is used up (HTTP {status}{said}).", False, status=status)
    if status in TRANSIENT:
        busy = "is too busy" if status in (429, 503, 529) else "failed"
        return Failure(f"{where} {busy} (HTTP {status}{said}).", True, retry_after(response.headers), status)
    overflow = status in (400, 413, 422) and bool(OVERFLOW.search(f"{code}{said}"))
    return Failure(f"{where} refuses the request (HTTP {status}{said}).", False, status=status, overflow=overflow)


def of_exception(error: httpx.HTTPError, endpoint: Endpoint, *, answered_before: bool) -> Failure:
    """The failure that a broken connection means. A server that never answered is not waited for."""
    what = endpoint.redact(str(error)) or type(error).__name__
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return Failure(
            f"no connection to {endpoint.url} ({what}); is the server running there?", transient=answered_before
        )
    if isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError | httpx.TimeoutException):
        return Failure(f"the connection to {endpoint.url} broke ({what}).", True)
    return Failure(f"the request to {endpoint.url} failed ({what}).", False)


def _said(body: bytes, endpoint: Endpoint) -> tuple[str, str]:
    """The server's own words, ready to follow a status, and its error code."""
    try:
        data: Any = msgspec.json.decode(body)
    except msgspec.DecodeError:
        data = body.decode("utf-8", "replace")
    error = data.get("error", data) if isinstance(data, dict) else data
    words = error.get("message", error.get("detail", "")) if isinstance(error, dict) else error
    code = error.get("code", "") if isinstance(error, dict) else ""
    excerpt = endpoint.redact(str(words))[:_EXCERPT]
    return (f": {excerpt}" if excerpt else ""), str(code)
