"""An instance of a plug-in that notes what it is asked, what it reaches for and which states it keeps."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from typing import Any

from cornerman.engine.branch import Branch
from cornerman.engine.instance import Instance
from cornerman.engine.view import UserView, View
from cornerman.engine.window import Window


@dataclass
class Probe(Instance):
    """The plug-in under test. `reached` are the fields that it asked its view for, `asked` the hooks it was asked."""

    reached: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    states: list[dict[str, Any]] = field(default_factory=list)

    def view(self, branch: Branch) -> Window:
        """A window that tells what is looked at through it."""
        return ProbeUserView(branch, self) if self.role == "user" else ProbeView(branch, self)

    def call(self, hook: str, **arguments: Any) -> Any:
        """Note that it was asked, and ask."""
        self.asked.add(hook)
        return super().call(hook, **arguments)

    def kept(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state, kept to be looked at afterwards."""
        if not any(state is known for known in self.states):
            self.states.append(state)
        return state

    @property
    def undeclared(self) -> set[str]:
        """What it reached for and did not declare, whether or not it caught the error."""
        return self.reached - self.sees


class ProbeView(View):
    """A view that notes the fields and states that are asked for."""

    __slots__ = ()
    _instance: Probe

    def _need(self, field: str) -> None:
        self._instance.reached.add(field)
        super()._need(field)

    @property
    def state(self) -> dict[str, Any]:
        """The state; kept to be looked at afterwards."""
        return self._instance.kept(super().state)


class ProbeUserView(UserView):
    """A user's view that notes the states that are asked for."""

    __slots__ = ()
    _instance: Probe

    @property
    def state(self) -> dict[str, Any]:
        """The state; kept to be looked at afterwards."""
        return self._instance.kept(super().state)


def probe(instance: Instance) -> Probe:
    """The same instance, watched."""
    return Probe(**{f.name: getattr(instance, f.name) for f in dataclasses.fields(instance)})


def contents(plugin: object) -> dict[str, Any]:
    """What an instance and its class hold, in a form that can be compared later; cached properties are left out."""
    kinds = type(plugin).__mro__[:-1]
    cached = {n for kind in kinds for n, v in vars(kind).items() if isinstance(v, functools.cached_property)}
    held = {n: v for kind in kinds for n, v in vars(kind).items() if isinstance(v, (list, dict, set))}
    slots = {n for kind in kinds for n in vars(kind).get("__slots__", ())}
    held |= {n: getattr(plugin, n) for n in slots if hasattr(plugin, n)}
    held |= getattr(plugin, "__dict__", {})
    return {n: comparable(v) for n, v in held.items() if n not in cached and not n.startswith("__")}


def comparable(value: Any, depth: int = 6) -> Any:
    """A value as nested tuples of plain values; what is no plain data counts by its identity and attributes."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return (type(value).__name__, value)
    if not depth:
        return id(value)
    inner = functools.partial(comparable, depth=depth - 1)
    if isinstance(value, dict):
        return ("dict", *((inner(k), inner(v)) for k, v in value.items()))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(inner, value))
    if isinstance(value, (set, frozenset)):
        return ("set", *sorted(map(repr, map(inner, value))))
    return (id(value), inner(vars(value))) if hasattr(value, "__dict__") and not callable(value) else id(value)
