"""The two tools as schemas, and actions read as calls of them.

A call is one JSON object: {"name": "search", "arguments": {"query": "…", "k": 3}}.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

MAX_K = 10
FORM = '{"name": "search", "arguments": {"query": "…"}} or {"name": "answer", "arguments": {"text": "…"}}'


class Search(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Look for the k documents that fit the query best."""

    query: str
    k: Annotated[int, msgspec.Meta(ge=1, le=MAX_K)] = 3


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer the question."""

    text: str


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call before its arguments are read."""

    name: str
    arguments: dict[str, Any]


class BadCall(Exception):
    """The action is no call of a tool; the message says why, in words for the agent."""


def parse(action: str) -> Search | Answer:
    """Read an action as a call. Raises BadCall for everything else."""
    try:
        call = msgspec.json.decode(action.strip(), type=Call)
        if call.name == "search":
            return msgspec.convert(call.arguments, Search)
        if call.name == "answer":
            return msgspec.convert(call.arguments, Answer)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadCall(f"This is not a tool call: {str(error)[:200]}. Write {FORM}, and nothing else.") from None
    raise BadCall(f"There is no tool '{call.name[:40]}'. The tools are search and answer: write {FORM}.")


def search(query: str) -> str:
    """The call that searches, as an action."""
    return _action("search", {"query": query})


def answer(text: str) -> str:
    """The call that answers, as an action."""
    return _action("answer", {"text": text})


def _action(name: str, arguments: dict[str, str]) -> str:
    return msgspec.json.encode({"name": name, "arguments": arguments}).decode()


def schemas() -> list[dict[str, Any]]:
    """The tools as JSON schemas."""
    query = {"type": "string", "description": "words to look for"}
    k = {"type": "integer", "minimum": 1, "maximum": MAX_K, "default": 3, "description": "number of documents"}
    text = {"type": "string", "description": "the answer alone: a name, a number, or yes or no"}
    return [
        _schema("search", "Search the documents by words; the best k are shown.", {"query": query, "k": k}, "query"),
        _schema("answer", "Answer the question. This ends the episode.", {"text": text}, "text"),
    ]


def _schema(name: str, description: str, properties: dict[str, Any], required: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [required], "additionalProperties": False}
    return {"name": name, "description": description, "parameters": parameters}
