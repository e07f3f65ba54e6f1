"""An environment that counts down, and misbehaves in every way that an environment can when it is told to."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
import subprocess
import sys
import time
from typing import Any, cast

import gymnasium

import cornerman
from cornerman.environment import EnvironmentSpec, Info, TextEnv
from cornerman.records import Task
from cornerman.registry import Registry

LEAKED: list[bytes] = []
MADE: list[str] = []


def misbehave(how: str) -> None:
    """What a task's settings or an action ask for; nothing for words that mean nothing."""
    word, _, rest = how.partition(" ")
    match word:
        case "raise":
            raise RuntimeError(rest + "\nand a second line that nobody needs")
        case "exit":
            os._exit(int(rest))
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            time.sleep(1000)
        case "compute":  # catastrophic backtracking: compiled code that keeps the interpreter lock
            re.match(r"(a+)+$", "a" * 60 + "b")
        case "leak":
            LEAKED.append(os.urandom(int(rest)))
        case "fork":
            if os.fork() == 0:
                time.sleep(1000)
        case "scribble":  # into every socket there is
            for descriptor in range(3, 32):
                with contextlib.suppress(OSError):
                    if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                        os.write(descriptor, rest.encode("latin-1"))
        case "print":
            print(rest)
        case "print-raw":
            os.write(1, rest.encode("utf-8", "surrogatepass"))
        case "complain":
            print(rest, file=sys.stderr)


class Countdown(TextEnv):
    """Say `down` until nothing is left; `say X` is answered with X."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task
        self.count = 0
        MADE.append(task.id)
        misbehave(task.settings.get("make", ""))

    def _answer(self, observation: str | None = None) -> tuple[str, Info]:
        info = {
            "goal": "count down to zero",
            "success": self.count == 0,
            "score": 1 - self.count / self.task.settings.get("from", 3),
            "admissible_actions": ["down", "wait"],
        }
        return f"{self.count} to go" if observation is None else observation, info

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        gymnasium.Env.reset(self, seed=seed)  # TextEnv declares the method and seeds nothing
        misbehave(self.task.settings.get("reset", ""))
        self.count = self.task.settings.get("from", 3)
        return self._answer()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        misbehave(action)
        before = self.count
        said = None
        if action == "down":
            self.count -= 1
        elif action.startswith("say "):
            said = action[4:]
        elif action == "spawn":  # a process of the environment's own, as a Java machine would be
            said = str(subprocess.Popen(["sleep", "1000"]).pid)
        elif action == "answer nothing":
            return None, 0.0, False, False, {}  # type: ignore[return-value]
        observation, info = self._answer(said)
        return observation, float(before - self.count), self.count == 0, False, info

    def gold(self) -> list[str] | None:
        return ["down"] * self.count

    def facts(self) -> Any:
        if self.task.settings.get("facts") == "no JSON":
            return object()
        return {"pid": os.getpid(), "made": len(MADE), "cpu": time.process_time(), "order": list({"a", "b", "c", "d"})}

    def snapshot(self) -> Any | None:
        return {"count": self.count, "random": self.np_random.bit_generator.state, "\ud800 key": "\udcff value"}

    def restore(self, snapshot: Any) -> tuple[str, Info]:
        self.count = snapshot["count"]
        self.np_random.bit_generator.state = snapshot["random"]
        return self._answer(snapshot["\ud800 key"])

    def close(self) -> None:
        misbehave(self.task.settings.get("close", ""))


COUNTDOWN = EnvironmentSpec(id="countdown", make=Countdown)
LIGHT = EnvironmentSpec(id="countdown-light", make=Countdown, light=True)


@cornerman.hookimpl
def register(registry: Registry) -> None:
    registry.add("environment", "countdown", cast("Any", COUNTDOWN))
    registry.add("environment", "countdown-light", cast("Any", LIGHT))
