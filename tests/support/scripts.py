"""Plug-in classes from a few functions, and the countdown played with them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import msgspec

from cornerman import Critique, hookimpl
from cornerman.engine.context import Bench
from cornerman.engine.episode import run_episode
from cornerman.engine.fork import Fork, fork
from cornerman.engine.method import Method
from cornerman.hookspecs import Trajectory
from cornerman.records import Attempt, ContextItem, Episode, Task, Turn
from cornerman.registry import Registry
from cornerman.suites import Rules
from tests.support import countdown
from tests.support.play import InlineSessions, catalogue, method, no_model

RULES = Rules(max_turns=20)


def plugin(sees: tuple[str, ...] = ("history",), **hooks: Any) -> type:
    """A plug-in class; each hook is what it answers, or a (possibly async) function of the hook's arguments."""
    return type("Scripted", (), {"sees": sees} | {name: _hook(name, answer) for name, answer in hooks.items()})


def _hook(name: str, answer: Any) -> Any:
    def method(self: object, *given: Any) -> Any:
        return answer(*given) if callable(answer) else answer

    method.__name__ = name
    method.__signature__ = inspect.signature(getattr(Trajectory, name))  # type: ignore[attr-defined]
    return hookimpl(method)


def actor(*script: Any, sees: tuple[str, ...] = ("history", "admissible"), **hooks: Any) -> type:
    """An actor that plays its script turn by turn, the last line again and again; functions are asked with the view."""

    def act(view: Any) -> Any:
        line = script[min(view.turn, len(script) - 1)]
        return line(view) if callable(line) else line

    return plugin(sees, act=act, **hooks)


def critic(sees: tuple[str, ...] = ("history",), **hooks: Any) -> type:
    """A critic."""
    return plugin(sees, **hooks)


def protocol(*rounds: Any, sees: tuple[str, ...] = ("attempts",)) -> type:
    """A protocol that plans these rounds of attempts, one after another."""

    def plan(view: Any) -> Any:
        number = view.state.setdefault("round", 0)
        view.state["round"] = number + 1
        return rounds[number] if number < len(rounds) else None

    return plugin(sees, plan_attempts=plan)


def says(text: str, **fields: Any) -> Callable[..., Critique]:
    """A critic's hook that always says the same."""
    return lambda *given: Critique(text=text, **fields)


class Ring:
    """An actor, critics and a protocol on the countdown, played as often as a test wants.

    `critics` are classes by label; `settings` of a critic go beside its class: `fast=(Class, {"deliver": "suffix"})`.
    """

    def __init__(
        self,
        actor: type,
        memory: Any = None,
        protocol: type | None = None,
        rules: Rules = RULES,
        user: type | None = None,
        **critics: Any,
    ) -> None:
        self.rules = rules if user is None else msgspec.structs.replace(rules, user="scripted")
        pairs = {label: c if isinstance(c, tuple) else (c, {}) for label, c in critics.items()}
        plugins: dict[str, Any] = {"actor_scripted": actor} | {f"critic_test_{n}": c for n, (c, _) in pairs.items()}
        if user is not None:
            plugins["user_scripted"] = user
        if protocol is not None:
            plugins["protocol_scripted"] = protocol
        kind, settings = memory if isinstance(memory, tuple) else (memory, {})
        if kind is not None:
            plugins["memory_scripted"] = kind
        self.registry: Registry = catalogue(**plugins)
        self.table: dict[str, Any] = {
            "actor": "scripted",
            "critic": [{"use": f"test-{n}".replace("_", "-"), "label": n, **s} for n, (_, s) in pairs.items()],
            "protocol": {"use": "single" if protocol is None else "scripted"},
        }
        self._methods: dict[str, Method] = {}
        if kind is not None:
            self.table["memory"] = {"use": "scripted", **settings}

    def method(self, **protocol: Any) -> Method:
        """The method, with further settings of its protocol; built once for each."""
        table = self.table | {"protocol": self.table["protocol"] | protocol}
        if repr(table) not in self._methods:
            self._methods[repr(table)] = method(self.registry, self.rules, {"user": "user"}, **table)
        return self._methods[repr(table)]

    def bench(self, **settings: Any) -> Bench:
        """A bench over inline environments."""
        return Bench(**{"sessions": InlineSessions(self.registry), "model": no_model, **settings})

    def play(
        self, task: Task | None = None, *, trial: int = 0, memory: Any = (), bench: Any = None, **protocol: Any
    ) -> Episode:
        """One episode."""
        made = self.method(**protocol)
        return asyncio.run(
            run_episode(bench or self.bench(), task or countdown.task(), made, self.rules, trial, memory)
        )

    def fork(self, episode: Episode, attempt: int = 0, turn: int = 0, bench: Any = None, **options: Any) -> Fork:
        """A fork of a recorded episode."""
        made = self.method(**options.pop("protocol", {}))
        return asyncio.run(
            fork(bench or self.bench(), episode, made, self.rules, attempt=attempt, turn=turn, **options)
        )


def play(
    actor: type, *, rules: Rules = RULES, task: Task | None = None, critics: Any = None, **protocol: Any
) -> Episode:
    """One episode of an actor with critics by label; further settings are the protocol's."""
    return Ring(actor, rules=rules, **(critics or {})).play(task, **protocol)


def executed(attempt: Attempt) -> list[str | None]:
    """The actions of an attempt."""
    return [t.executed for t in attempt.turns]


def texts(items: Any) -> list[str]:
    """The texts of context items, critiques or candidates."""
    return [i.text for i in items]


def standing(attempt: Attempt) -> list[ContextItem]:
    """The words in the context at an attempt's end."""
    return [i for i in attempt.context if i.until is None]


def only(episode: Episode) -> Attempt:
    """The one attempt of an episode that went well."""
    assert episode.error is None, episode.error
    [attempt] = episode.attempts
    return attempt


def first(episode: Episode) -> Turn:
    """The first turn of an episode's one attempt."""
    return only(episode).turns[0]
