"""Where a model lives: the target `URL#NAME` of a model URI, and the environment variable that holds the key."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import httpx

from cornerman.errors import UsageError


@dataclass(frozen=True)
class Endpoint:
    """The base URL of an OpenAI-compatible server, without a closing slash, and a model that it serves.

    `key_variable` names the environment variable of the key; the key itself is left out of `repr`, records and errors.
    """

    url: str
    model: str
    key_variable: str
    key: str = field(default="", repr=False)

    @property
    def root(self) -> str:
        """The server without the `/v1` of its OpenAI routes: where vLLM and llama.cpp have routes of their own."""
        return self.url.removesuffix("/v1")

    def redact(self, text: str) -> str:
        """The text without the key, should a server echo it, on one line and without control characters."""
        shown = text.replace(self.key, "[key]") if self.key else text
        return " ".join("".join(c if c.isprintable() else " " for c in shown).split())


def parse_target(scheme: str, target: str, key_variable: str, *, key_required: bool) -> Endpoint:
    """The endpoint that `URL#NAME` names, with the key from the environment. Raises UsageError for a bad one.

    A URL that carries a user, a password or a query is refused: URLs are recorded, so no secret may stand in one.
    """
    url, _, model = target.partition("#")
    example = f"{scheme}:http://localhost:8000/v1#NAME"
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise UsageError(f"'{url}' is no URL ({error}); write {example}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise UsageError(f"'{url}' is no http or https URL; write {example}")
    if parsed.userinfo or parsed.query:
        raise UsageError(
            f"the URL of a model may hold no user, password or query, since it is recorded; put the key into the "
            f"environment variable {key_variable}"
        )
    if not model:
        raise UsageError(f"the model URI names no model; write {scheme}:{url}#NAME")
    if not key_variable.isidentifier():
        raise UsageError(
            "the option key of a model takes the name of the environment variable that holds the key; what was given "
            "is no such name and is not repeated here"
        )
    key = os.environ.get(key_variable, "").strip()
    if key_required and not key:
        raise UsageError(f"the environment variable {key_variable}, which should hold the key of {url}, is not set")
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"the environment variable {key_variable} holds characters that no key can have")
    return Endpoint(str(parsed).rstrip("/"), model, key_variable, key)
