"""An environment that talks to a user: a door with a code that the user knows and a lamp that the user alone can press.

`open CODE` tries the door, everything else is said to the user. The user opens the talk, unless the task says that it
does not, and presses the lamp with a call of its tool; `###STOP###` ends the talk.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import Any

from cornerman.environment import EnvironmentSpec, Info, TextEnv
from cornerman.errors import ModelError
from cornerman.hookspecs import hookimpl
from cornerman.model import Capability, Generation, Sampling
from cornerman.records import Completion, Message, Task, Usage
from cornerman.registry import Registry
from cornerman.suites import Rules, Suite

PRESS = {"name": "press", "description": "Press the lamp.", "parameters": {"type": "object", "properties": {}}}
CALL = '{"name": "press", "arguments": {}}'
ASK = f"Please use press now: {CALL}"


class Desk(TextEnv):
    """One customer at the desk."""

    def __init__(self, code: str = "7", first: bool = True) -> None:
        super().__init__()
        self.code, self.first = code, first
        self._begin()

    def _begin(self) -> None:
        self.lamp = self.door = self.left = False
        self.waiting = self.first
        self.dialogue: list[dict[str, str]] = []

    @property
    def score(self) -> float:
        return (self.lamp + self.door) / 2

    def _info(self) -> Info:
        info: Info = {"goal": "Open the door while the lamp burns.", "success": self.score == 1, "score": self.score}
        if self.waiting:
            info["user"] = {
                "message": self.dialogue[-1]["content"] if self.dialogue else "",
                "dialogue": [dict(line) for line in self.dialogue],
                "scenario": {"reason_for_call": "I want to get in.", "known_info": f"The code is {self.code}."},
                "tools": [PRESS],
            }
        return info

    def _answer(self, text: str, before: float) -> tuple[str, float, bool, bool, Info]:
        over = self.left or self.score == 1
        self.waiting = self.waiting and not over
        return text, self.score - before, over, False, self._info()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        super().reset(seed=seed)
        self._begin()
        return "Somebody comes in." if not self.first else "Somebody is about to speak.", self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        before = self.score
        if self.waiting:
            return self._answer("The customer has not answered yet.", before)
        if action.startswith("open "):
            self.door = self.door or action == f"open {self.code}"
            return self._answer("The door is open." if self.door else "The door stays shut.", before)
        if not self.left and action.strip():
            self.dialogue.append({"role": "agent", "content": action})
            self.waiting = True
        return self._answer("Silence.", before)

    def reply(self, text: str) -> tuple[str, float, bool, bool, Info]:
        before = self.score
        if not self.waiting:
            return self._answer("Nobody asked the customer.", before)
        if text == "boom":
            raise RuntimeError("the customer broke the desk")
        if text == "die":
            os._exit(3)
        if text == "hang":
            time.sleep(600)
        self.dialogue.append({"role": "user", "content": text})
        try:
            pressed = json.loads(text).get("name") == "press"
        except (ValueError, AttributeError, RecursionError):
            pressed = False
        if pressed:
            self.lamp = True
            self.dialogue.append({"role": "tool", "content": "The lamp is on."})
            return self._answer("Click.", before)
        self.waiting, self.left = False, "###STOP###" in text
        return self._answer(f"Customer: {text}", before)

    def gold(self) -> list[str] | None:
        if self.left and self.score < 1:
            return None
        return [*([] if self.lamp else [ASK]), *([] if self.door else [f"open {self.code}"])]

    def facts(self) -> Any:
        return {"lamp": self.lamp, "door": self.door, "code": self.code}


SPEC = EnvironmentSpec(
    id="test/Desk-v1", make=lambda task: Desk(**task.settings), seedable=False, gold="policy", user=True
)


def task(code: str = "7", *, first: bool = True) -> Task:
    """A customer with a code."""
    return Task(env=SPEC.id, id=f"desk-{code}", settings={"code": code, "first": first})


def suite(name: str, user: str | None) -> Suite:
    """Three customers, and who speaks for them."""
    return Suite(name=name, tasks=tuple(map(task, "789")), rules=Rules(max_turns=8, user=user))


class Customer:
    """A model that plays a customer who does as it is told; `fail` makes it one that cannot be reached."""

    capabilities: frozenset[Capability] = frozenset({"generate"})

    def __init__(self, target: str = "", fail: bool = False) -> None:
        self.name, self.fail = f"customer:{target}", fail

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        if self.fail:
            raise ModelError("the customer is not in")
        text = CALL if ASK in messages[-1].content else f"I heard {len(messages)} messages."
        done = tuple(Completion(text=text) for _ in seeds)
        return Generation(completions=done, usage=Usage(prompt=7, output=2 * len(done)))

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        raise ModelError("a customer scores nothing")

    async def aclose(self) -> None:
        pass

    def describe(self) -> dict[str, Any]:
        return {}


@hookimpl
def register(registry: Registry) -> None:
    """The desk and its suites: with a user by rules, by a model, and with none."""
    registry.add("environment", SPEC.id, "tests.support.desk:SPEC")
    registry.add("suite", "desk-smoke", lambda: suite("desk-smoke", "scripted-user"))
    registry.add("suite", "desk-talk", lambda: suite("desk-talk", "llm-user"))
    registry.add("suite", "desk-nobody", lambda: suite("desk-nobody", None))
    registry.add("model", "customer", Customer)
