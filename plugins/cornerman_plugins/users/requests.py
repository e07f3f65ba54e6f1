"""Calls of the user's tools: those that an agent's words ask for, and those that a model wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Call = dict[str, Any]
"""{"name": …, "arguments": {…}}"""


def objects(text: str) -> Iterator[tuple[int, Any]]:
    """The outermost JSON objects in a text, with the place at which each begins."""
    decoder, at = json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        yield at, value
        at = end


def is_call(value: Any, names: Sequence[str]) -> bool:
    """Whether a JSON value calls one of the tools."""
    return isinstance(value, dict) and value.get("name") in names and isinstance(value.get("arguments", {}), dict)


def written(text: str, tools: Sequence[Mapping[str, Any]]) -> Call | None:
    """The first call that a text holds as JSON."""
    names = [str(t.get("name")) for t in tools]
    found = next((v for _, v in objects(text) if is_call(v, names)), None)
    return None if found is None else {"name": found["name"], "arguments": found.get("arguments", {})}


def asked(text: str, tools: Sequence[Mapping[str, Any]]) -> list[Call]:
    """The calls that an agent's words ask for, in its order: as JSON, or a tool by its name.

    A name may stand with blanks in place of underscores. Arguments beside it are JSON, `name(key="value")`, or the only
    value of a parameter's `enum` that the sentence mentions; a tool whose required arguments are not there is left out.
    """
    names = [str(t.get("name")) for t in tools]
    calls = [(at, v) for at, v in objects(text) if is_call(v, names)]
    if calls:
        return [{"name": v["name"], "arguments": v.get("arguments", {})} for _, v in calls]
    found = []
    for tool, name in zip(tools, names, strict=True):
        match = re.search(rf"(?<!\w){re.escape(name).replace('_', '[_ ]')}(?!\w)", text, re.IGNORECASE)
        if match is None:
            continue
        schema = tool.get("parameters")
        arguments = beside(text[match.end() :], schema if isinstance(schema, dict) else {})
        if arguments is not None:
            found.append((match.start(), {"name": name, "arguments": arguments}))
    return [call for _, call in sorted(found, key=lambda pair: pair[0])]


def beside(text: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments that stand after a tool's name; None where a required one is missing."""
    properties = schema.get("properties") or {}
    sentence = re.split(r"[.!?](?:\s|$)|\n", text, maxsplit=1)[0]
    given: dict[str, Any] = {}
    for _, value in objects(sentence):
        if isinstance(value, dict):
            given |= {k: v for k, v in value.items() if k in properties}
    for key, value in re.findall(r"(\w+)\s*[=:]\s*(\"[^\"]*\"|'[^']*'|[\w.+-]+)", sentence):
        if key in properties and key not in given:
            given[key] = literal(value)
    for key, about in properties.items():
        choices = about.get("enum", ()) if isinstance(about, dict) else ()
        named = [c for c in choices if re.search(rf"(?<!\w){re.escape(str(c))}(?!\w)", sentence, re.IGNORECASE)]
        if key not in given and len(named) == 1:
            given[key] = named[0]
    return given if all(key in given for key in schema.get("required", ())) else None


def literal(text: str) -> Any:
    """A value as JSON has it, else the text without its quotes."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip("'\"")


def as_text(call: Call) -> str:
    """A call as a reply."""
    return json.dumps(call, ensure_ascii=False)
