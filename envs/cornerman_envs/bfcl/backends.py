"""The backends of one player: instances of the wheel's classes, called by name."""

from __future__ import annotations

import copy
import decimal
import inspect
import json
import math
from collections.abc import Callable
from typing import Any

from cornerman_envs.bfcl.calls import Call
from cornerman_envs.bfcl.wheel import wheel

MAX_PRECISION = 1_000
"""Most digits that MathAPI is let compute to."""
MAX_BITS = 14_000
"""Longest power, in bits. Python prints no integer of more than 4300 digits, so that a longer one has no answer."""
DEPTH = 12
"""How deep hidden state is shown; a folder can be copied into itself."""


class Backends:
    """Fresh instances of the classes that a task involves, in its initial configuration.

    They share nothing with those of other players and episodes: the wheel's long-context cards and bookings, which its
    own instances share and change, are copied.
    """

    def __init__(self, involved: tuple[str, ...], config: dict[str, Any], long_context: bool) -> None:
        self.instances: dict[str, Any] = {}
        self.methods: dict[str, Callable[..., Any]] = {}
        for name in involved:
            instance = wheel().classes[name]()
            if name not in wheel().stateless:
                instance._load_scenario(copy.deepcopy(config.get(name, {})), long_context=long_context)
            instance = self.instances[name] = copy.deepcopy(instance)
            members = inspect.getmembers(instance, predicate=inspect.ismethod)
            self.methods |= {m: method for m, method in members if not m.startswith("_")}

    def execute(self, call: Call) -> str:
        """The result of a call in the wheel's words: text as it is, a dict as JSON, anything else as Python prints it.

        What a backend raises is an answer too.
        """
        method = self.methods.get(call.name)
        if method is None:
            return f"Error during execution: name '{call.name}' is not defined"
        try:
            _refuse_costly(call)
            # The wheel's square root sets the precision of the whole thread.
            with decimal.localcontext():
                return _printed(method(**copy.deepcopy(call.arguments)))
        except Exception as error:
            return f"Error during execution: {error}"

    def state(self) -> dict[str, Any]:
        """The public attributes of every backend, as JSON."""
        return {
            name: {k: _plain(v) for k, v in vars(instance).items() if not k.startswith("_")}
            for name, instance in self.instances.items()
        }


def _printed(result: Any) -> str:
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        try:
            return json.dumps(result)
        except (TypeError, ValueError):
            return str(result)
    return str(result)


def _refuse_costly(call: Call) -> None:
    """Raise for the few calls that would take unbounded time or memory."""
    arguments = call.arguments
    precision = arguments.get("precision")
    if isinstance(precision, int | float) and precision > MAX_PRECISION:
        raise ValueError(f"precision is at most {MAX_PRECISION}")
    if call.name == "power":
        base, exponent = arguments.get("base", 0), arguments.get("exponent", 0)
        whole = isinstance(base, int) and isinstance(exponent, int)
        if whole and exponent * math.log2(max(1, abs(base))) > MAX_BITS:
            raise OverflowError("the result is too large")
    if call.name == "multiply" and not all(isinstance(v, int | float) for v in arguments.values()):
        raise TypeError("Both inputs must be numbers")


def _plain(value: Any, depth: int = DEPTH) -> Any:
    if depth == 0:
        return "…"
    if value is None or isinstance(value, bool | float | str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, dict):
        return {str(k): _plain(v, depth - 1) for k, v in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(v, depth - 1) for v in value]
    if isinstance(contents := getattr(value, "contents", None), dict):
        return _plain(contents, depth)
    return _plain(getattr(value, "content", None), depth)
