"""A plug-in file of environments and plug-ins that each break one rule of the conformance kit.

cornerman -p tests/support/zoo.py check Zoo-leaks-v1
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import cornerman
from cornerman.dialogue import UserMessage
from cornerman.engine.view import View
from cornerman.environment import EnvironmentSpec, Info
from cornerman.errors import BarrierError
from cornerman.records import Candidate, Critique, Message, Task, Turn, Verdict
from cornerman.registry import Registry
from cornerman.suites import Rules, Suite
from tests.support.countdown import Countdown
from tests.support.desk import Desk

Answer = tuple[str, float, bool, bool, Info]


class Seeded(Countdown):
    """Sound: a countdown whose start is drawn from the seed."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        super().reset(seed=seed)
        self.start = self.n = int(self.np_random.integers(4, 12))
        return f"The counter shows {self.n}.", self._info()


class Talks(Countdown):
    """Sound: prints at every step."""

    def step(self, action: str) -> Answer:
        print("the counter says hello")
        return super().step(action)


class IgnoresSeed(Countdown):
    """Declares itself seedable and is always the same."""


class DrawsGlobally(Countdown):
    """Throws a die of `random`."""

    def step(self, action: str) -> Answer:
        random.random()
        return super().step(action)


class SeedsGlobally(Countdown):
    """Seeds numpy's generator."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        np.random.seed(0)
        return super().reset(seed=seed)


class Shares(Countdown):
    """Keeps the number of turns on the class."""

    turns = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        Shares.turns = 0
        return super().reset(seed=seed)

    def step(self, action: str) -> Answer:
        Shares.turns += 1
        text, *rest = super().step(action)
        return (f"Turn {Shares.turns}: {text}", *rest)  # type: ignore[return-value]


class Clock(Countdown):
    """Says what time it is."""

    def step(self, action: str) -> Answer:
        text, *rest = super().step(action)
        return (f"{text} It is {time.perf_counter_ns()}.", *rest)  # type: ignore[return-value]


class HashOrder(Countdown):
    """Says things in the order of a set."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        text, info = super().reset(seed=seed)
        return f"{text} Here are {', '.join({f'thing {i}' for i in range(40)})}.", info


class NulRaises(Countdown):
    """Cannot stand NUL."""

    def step(self, action: str) -> Answer:
        if "\x00" in action:
            raise ValueError("embedded null byte")
        return super().step(action)


class SurrogateDies(Countdown):
    """Takes its process down at a lone surrogate."""

    def step(self, action: str) -> Answer:
        if any("\ud800" <= c <= "\udfff" for c in action):
            sys.stderr.flush()
            import os

            os._exit(3)
        return super().step(action)


class Overpays(Countdown):
    """Scores above 1."""

    def step(self, action: str) -> Answer:
        text, reward, terminated, truncated, info = super().step(action)
        info["score"] = 2.0 if info["success"] else info["score"]
        return text, reward, terminated, truncated, info


class RewardIsScore(Countdown):
    """Its reward is the score, not the increment."""

    def step(self, action: str) -> Answer:
        text, _, terminated, truncated, info = super().step(action)
        return text, info["score"], terminated, truncated, info


class LeaksFolder(Countdown):
    """Leaves a temporary folder behind."""

    def __init__(self, start: int = 5) -> None:
        super().__init__(start)
        self.folder = tempfile.mkdtemp(prefix="zoo-")


class LeaksProcess(Countdown):
    """Leaves a process behind; `reap` ends it."""

    left: list[subprocess.Popen[bytes]] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        self.left.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        return super().reset(seed=seed)

    @classmethod
    def reap(cls) -> None:
        while cls.left:
            cls.left.pop().communicate()


class GoldLoses(Countdown):
    """Its gold waits."""

    def gold(self) -> list[str] | None:
        return ["wait"]


class GoldIsBlind(Countdown):
    """Its gold knows the start only, whatever was played."""

    def gold(self) -> list[str] | None:
        return ["down 2", "down 2", "down 1"]


class SetInInfo(Countdown):
    """Hands out a set."""

    def _info(self) -> Info:
        return super()._info() | {"seen": {self.n}}


class NumpySuccess(Countdown):
    """Its success is NumPy's."""

    def _info(self) -> Info:
        return super()._info() | {"success": np.bool_(self.n == 0)}


class NoGenerator(Countdown):
    """Does not pass its seed on to Gymnasium."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        return super().reset()


class ForgetfulSnapshot(Countdown):
    """Its snapshots are those of the start."""

    def snapshot(self) -> Any:
        return self.start


class OtherCounters(Countdown):
    """Says that the counter, which it has shown, might stand at another number."""

    def consistent_states(self, number: int, seed: int) -> list[Any]:
        return [self.n + 1]


class Closed(Countdown):
    """Cannot be opened."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        raise RuntimeError("the door is locked")


SOUND: dict[str, tuple[type[Countdown], str, dict[str, Any]]] = {
    "seeded": (Seeded, "", {"seedable": True}),
    "talks": (Talks, "", {}),
}


class OutOfTurn(Desk):
    """Lets the agent speak at the user's turn."""

    def __init__(self, start: int = 7) -> None:
        super().__init__(str(start))

    def step(self, action: str) -> Answer:
        self.waiting = False
        return super().step(action)


ENVIRONMENTS: dict[str, tuple[type[Any], str, dict[str, Any]]] = {
    "ignores-seed": (IgnoresSeed, "distinct", {"seedable": True}),
    "draws-globally": (DrawsGlobally, "global-random", {}),
    "seeds-globally": (SeedsGlobally, "global-random", {}),
    "shares": (Shares, "isolation", {}),
    "clock": (Clock, "repeats", {}),
    "hash-order": (HashOrder, "other-process", {}),
    "nul": (NulRaises, "hostile", {}),
    "surrogate": (SurrogateDies, "hostile", {}),
    "overpays": (Overpays, "scores", {}),
    "reward-is-score": (RewardIsScore, "scores", {}),
    "leaks": (LeaksFolder, "closes", {}),
    "leaks-process": (LeaksProcess, "closes", {}),
    "gold-loses": (GoldLoses, "gold", {}),
    "other-counters": (OtherCounters, "consistent", {}),
    "gold-blind": (GoldIsBlind, "gold-anywhere", {}),
    "set-in-info": (SetInInfo, "info", {}),
    "numpy-success": (NumpySuccess, "info", {}),
    "no-generator": (NoGenerator, "gymnasium", {}),
    "forgetful": (ForgetfulSnapshot, "snapshots", {}),
    "closed": (Closed, "opens", {}),
    "out-of-turn": (OutOfTurn, "user", {"user": True}),
}
"""Environments by name, the check that each fails, and what its specification says."""


# -- critics and actors


class Critic:
    """Sound: says how far it is after each turn, and counts in its state."""

    @cornerman.hookimpl
    def review_turn(self, view: View, turn: Turn) -> Critique:
        view.state["seen"] = view.state.get("seen", 0) + 1
        return Critique(text=f"That was turn {view.state['seen']}.", score=0.5)


class Counts:
    """Counts turns on itself."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @cornerman.hookimpl
    def review_turn(self, view: View, turn: Turn) -> None:
        self.seen.append(turn.observation)


class CountsOnClass:
    """Counts turns on its class."""

    seen: list[str] = []

    @cornerman.hookimpl
    def review_turn(self, view: View, turn: Turn) -> None:
        self.seen.append(turn.observation)


class Peeks:
    """Looks at the score without saying so."""

    sees = ("history",)

    @cornerman.hookimpl
    def review_turn(self, view: View) -> Critique:
        return Critique(text=f"The score is {view.score}.")


class PeeksSecretly:
    """Looks at the score without saying so, and hides the error."""

    @cornerman.hookimpl
    async def review_turn(self, view: View) -> Critique | None:
        try:
            return Critique(text=f"The score is {view.score}.")
        except BarrierError:
            return None


class Raises:
    """Raises at the second turn."""

    @cornerman.hookimpl
    def review_turn(self, view: View, turn: Turn) -> None:
        if turn.index:
            raise KeyError("advice")


class SetState:
    """Keeps a set."""

    @cornerman.hookimpl
    def review_turn(self, view: View, turn: Turn) -> None:
        view.state.setdefault("seen", set()).add(turn.observation)


class Dice:
    """Throws a die of `random`."""

    @cornerman.hookimpl
    def review_turn(self, view: View) -> Critique:
        random.random()
        return Critique(text="Go on.")


class Timed:
    """Says what time it is."""

    @cornerman.hookimpl
    def review_turn(self, view: View) -> Critique:
        return Critique(text=f"It is {time.perf_counter_ns()}.")


class Misspelt:
    """Implements no hook."""

    @cornerman.hookimpl
    def reveiw_turn(self, view: View) -> None:
        return None


class AnyOption:
    """Takes any option."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    @cornerman.hookimpl
    def review_turn(self, view: View) -> None:
        return None


class NeedsOption(Critic):
    """Has an option without a default."""

    def __init__(self, words: str) -> None:
        self.words = words

    @cornerman.hookimpl
    def review_turn(self, view: View) -> Critique:
        return Critique(text=self.words)


class Substring:
    """Takes an answer without "revise" in it for a pass."""

    @cornerman.hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
        reply = await view.model.generate([Message(role="user", content=c.text) for c in candidates])
        verdict = Verdict.REVISE if "revise" in reply.text else Verdict.PASS
        return [Critique(verdict=verdict, call=reply.call) for _ in candidates]


class NamesNoCall(Substring):
    """Does not even say which call its verdict comes from."""

    @cornerman.hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
        said = await super().review_action(view, candidates)
        return [Critique(verdict=c.verdict) for c in said]


class Reads(Substring):
    """Sound: says when it could not read the answer."""

    @cornerman.hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
        reply = await view.model.generate([Message(role="user", content=c.text) for c in candidates])
        verdict = {"pass": Verdict.PASS, "revise": Verdict.REVISE}.get(reply.text.partition(":")[0], Verdict.UNPARSED)
        return [Critique(verdict=verdict, call=reply.call) for _ in candidates]


class Parrot:
    """An actor that plays whatever its model says."""

    @cornerman.hookimpl
    async def act(self, view: View) -> str:
        return (await view.model.generate([Message(role="user", content=view.observation)])).text


CRITICS: dict[str, tuple[type, str]] = {
    "counts": (Counts, "instance-state"),
    "counts-on-class": (CountsOnClass, "instance-state"),
    "peeks": (Peeks, "declares"),
    "peeks-secretly": (PeeksSecretly, "declares"),
    "raises": (Raises, "plays"),
    "set-state": (SetState, "json-state"),
    "dice": (Dice, "global-random"),
    "timed": (Timed, "repeats"),
    "misspelt": (Misspelt, "hooks"),
    "any-option": (AnyOption, "options"),
    "needs-option": (NeedsOption, "options"),
    "substring": (Substring, "unparsed"),
    "names-no-call": (NamesNoCall, "unparsed"),
}
"""Critics by name, and the check that each fails."""


def made(kind: Callable[..., Countdown], task: Task) -> Countdown:
    """The environment of a task."""
    return kind(**task.settings)


def tasks(env: str, split: str) -> list[Task]:
    """Two tasks."""
    return [Task(env=env, id=f"from-{n}", split=split, settings={"start": n}) for n in (5, 6)]


def spec(name: str, kind: type[Any], **says: Any) -> EnvironmentSpec:
    """A specification."""
    env = f"test/Zoo-{name}-v1"
    fields: dict[str, Any] = {"seedable": False, "light": True} | says
    return EnvironmentSpec(id=env, make=partial(made, kind), splits=("test",), tasks=partial(tasks, env), **fields)


class CuriousUser:
    """Looks at what a user has no business with."""

    @cornerman.hookimpl
    def reply_as_user(self, view: Any, message: UserMessage) -> str:
        return str(view.observation)


class CountingUser:
    """Counts on itself what it said."""

    def __init__(self) -> None:
        self.said = 0

    @cornerman.hookimpl
    def reply_as_user(self, view: Any, message: UserMessage) -> str:
        self.said += 1
        return f"That was reply {self.said}."


@cornerman.hookimpl
def register(registry: Registry) -> None:
    """Enter everything."""
    for name, (kind, _, says) in {**SOUND, **ENVIRONMENTS}.items():
        entered: Any = spec(name, kind, **says)
        registry.add("environment", entered.id, entered)
    talking = Task(env="test/Zoo-out-of-turn-v1", id="one")
    rules = Rules(user="scripted-user")
    registry.add("suite", "zoo-talk", lambda: Suite(name="zoo-talk", tasks=(talking,), rules=rules))
    for name, (critic, _) in {"sound": (Critic, ""), "reads": (Reads, ""), **CRITICS}.items():
        registry.add("critic", f"zoo-{name}", critic)
    registry.add("user", "zoo-curious-user", CuriousUser)
    registry.add("user", "zoo-counting-user", CountingUser)
    registry.add("actor", "zoo-parrot", Parrot)
    registry.add("actor", "zoo-no-actor", Critic)
