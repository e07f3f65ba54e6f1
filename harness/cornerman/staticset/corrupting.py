"""Candidates that may be wrong: other admissible actions, or gold's call with another tool or a changed argument."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from cornerman.environment import Step

TRIES = 8
"""Candidates tried at one state; gold may call each of them no worse than waiting."""


def corruptions(gold: str, step: Step, rng: random.Random) -> list[str]:
    """At most `TRIES` candidates in random order; none where the environment lists neither actions nor tools.

    Of tool calls a coin decides whether a changed argument or another tool comes first, then they take turns. Tools
    come in the order of how many arguments have to be made up, since a call full of those is wrong at a glance.
    """
    if step.admissible is not None:
        others = [a for a in step.admissible if a != gold]
        return rng.sample(others, min(TRIES, len(others)))
    found = dict.fromkeys(text for text in changed_calls(gold, step.tools or (), rng) if text != gold)
    return list(found)[:TRIES]


def changed_calls(gold: str, tools: Sequence[dict[str, Any]], rng: random.Random) -> Iterator[str]:
    """Gold's call in JSON, an object {name, arguments} or a list of them, changed in one place of one call.

    Where gold speaks in words, a call in their place.
    """
    try:
        value = json.loads(gold)
    except ValueError:
        value = {"name": None, "arguments": {}}
    calls = value if isinstance(value, list) else [value]
    if not calls or not all(isinstance(c, dict) and isinstance(c.get("arguments"), dict) for c in calls):
        return
    place = rng.randrange(len(calls))
    ways = [list(other_tools(calls[place], tools, rng)), list(other_arguments(calls[place], rng))]
    rng.shuffle(ways)
    for changed in (c for pair in itertools.zip_longest(*ways) for c in pair if c is not None):
        made = [*calls[:place], changed, *calls[place + 1 :]]
        yield json.dumps(made if isinstance(value, list) else made[0], ensure_ascii=False)


def other_tools(call: dict[str, Any], tools: Sequence[dict[str, Any]], rng: random.Random) -> Iterator[dict[str, Any]]:
    """The call to other tools, with the arguments that they share and values of the right type for the rest."""
    others = [t for t in tools if t.get("name") not in (None, call.get("name"))]
    known = call["arguments"]

    def wanted_by(tool: dict[str, Any]) -> list[str]:
        return (tool.get("parameters") or {}).get("required") or []

    rng.shuffle(others)
    for tool in sorted(others, key=lambda t: sum(k not in known for k in wanted_by(t))):
        properties = (tool.get("parameters") or {}).get("properties") or {}
        wanted = wanted_by(tool)
        arguments = {k: known[k] if k in known else filler(properties.get(k) or {}, rng) for k in wanted}
        yield {**call, "name": tool["name"], "arguments": arguments}


def other_arguments(call: dict[str, Any], rng: random.Random) -> Iterator[dict[str, Any]]:
    """The call with one argument changed: a number moved, a truth turned, a text cut or lengthened."""
    arguments = list(call["arguments"].items())
    rng.shuffle(arguments)
    for key, value in arguments:
        other = changed_value(value, rng)
        if other != value:
            yield {**call, "arguments": call["arguments"] | {key: other}}


def changed_value(value: Any, rng: random.Random) -> Any:
    """Another value of the same type; the same where there is none to be had."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + rng.randint(1, 9)
    if isinstance(value, str):
        return value[:-1] if len(value) > 1 and rng.random() < 0.5 else value + rng.choice("abcdefgh0123")
    if isinstance(value, list) and value:
        return value[:-1] if len(value) > 1 else [changed_value(value[0], rng)]
    return value


def filler(schema: dict[str, Any], rng: random.Random) -> Any:
    """A value that a JSON schema's type allows."""
    if schema.get("enum"):
        return rng.choice(schema["enum"])
    plain: dict[str, Any] = {"integer": rng.randint(1, 9), "number": 1.5, "boolean": True, "array": [], "object": {}}
    return plain.get(str(schema.get("type")), "x")
