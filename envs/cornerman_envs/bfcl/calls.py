"""Tool calls: read from an agent's text and from the Python syntax of the answers. Nothing is ever evaluated."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

FENCE = re.compile(r"\A```(?:json)?\s*\n(.*)\n\s*```\Z", re.DOTALL)
FORM = '{"name": …, "arguments": {…}}'


class Call(NamedTuple):
    """One call of a tool."""

    name: str
    arguments: dict[str, Any]


class MalformedCall(Exception):
    """A text that begins as a call and is none; the message says what is wrong."""


def read_calls(action: str) -> list[Call]:
    """The calls that an action makes; none when it is a message to the user.

    A text that begins with a brace or a bracket is meant as JSON: one call or a list of calls. A Markdown fence around
    it is taken off. All other text, and the empty list, calls nothing.

    Raises:
        MalformedCall: it is meant as JSON, and is no call.
    """
    text = action.strip()
    if fenced := FENCE.match(text):
        text = fenced[1].strip()
    if not text.startswith(("{", "[")):
        return []
    try:
        value = json.loads(text, parse_constant=_no_number)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedCall("half of a surrogate pair is no character") from None
    except RecursionError:
        raise MalformedCall("it is nested too deeply") from None
    except ValueError as error:
        raise MalformedCall(f"no valid JSON ({str(error)[:120]})") from None
    return [_call(item) for item in (value if isinstance(value, list) else [value])]


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _call(value: Any) -> Call:
    if not isinstance(value, dict):
        raise MalformedCall(f"a call is an object, not {type(value).__name__}")
    name, arguments = value.get("name"), value.get("arguments", {})
    if not isinstance(name, str) or not name:
        raise MalformedCall('a call needs a "name", the name of a tool')
    if not isinstance(arguments, dict):
        raise MalformedCall('"arguments" is an object with the names and values of arguments')
    return Call(name, arguments)


def write_calls(calls: Sequence[Call]) -> str:
    """The action that makes these calls: an object for one, a list for several."""
    values = [call._asdict() for call in calls]
    return json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False)


def read_answer(source: str, methods: dict[str, Callable[..., Any]]) -> Call:
    """A call in an answer, such as `cd(folder='x')`. Arguments by position get the names of the method's parameters.

    Raises:
        ValueError: it is anything but one call of a known method with literal arguments.
    """
    node = ast.parse(source.strip(), mode="eval").body
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in methods:
        raise ValueError(f"no call of a known tool: {source}")
    names = list(inspect.signature(methods[node.func.id]).parameters)
    values: dict[str, Any] = {}
    for name, value in [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]:
        if name is None or name in values:
            raise ValueError(f"an argument is given twice or spread: {source}")
        values[name] = ast.literal_eval(value)
    if len(node.args) > len(names):
        raise ValueError(f"too many arguments: {source}")
    return Call(node.func.id, values)
