"""The simulator of the scienceworld package, without the package's own Python class.

That class lists all valid actions, the inventory and a look around after every step, which takes several times as long
as the step does, starts a machine for every instance, and does not bound its memory.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from cornerman.errors import EnvError, MissingExtra
from cornerman_envs.java.lending import give_back, lend
from cornerman_envs.java.machine import Program, heap_mb

PACKAGE = "scienceworld"
_CLASS = "scienceworld.runtime.pythonapi.PythonInterface"
_FIRST = "look around"


class Answer(NamedTuple):
    """What the simulator says to an action. `percent` is the score as the package rounds it, negative after a fatal
    mistake; `completed` that the task's goals are met, or can not be any more."""

    observation: str
    percent: int
    completed: bool


def program() -> Program:
    """What a machine has to run. Raises `MissingExtra` where the package is not installed."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise MissingExtra("environment 'cornerman/ScienceWorld-v1'", PACKAGE)
    return Program(Path(found.origin).parent / "scienceworld.jar", _CLASS, heap_mb())


def versions() -> dict[str, str]:
    """Version of what plays."""
    return {PACKAGE: importlib.metadata.version(PACKAGE)}


class Simulator:
    """One task type in one variation, under simplifications (comma separated), on a machine of its own until `close`.

    Everything follows from these three: every load seeds the simulator's one generator by the variation.
    """

    def __init__(self, task: str, variation: int, simplifications: str) -> None:
        self._arguments = (task, variation, simplifications)
        self._machine = lend(program())

    def start(self) -> Answer:
        """From the beginning. As in the package, the first look around counts as a move."""
        self._load(with_gold=False)
        return self.step(_FIRST)

    def step(self, action: str) -> Answer:
        """Execute an action."""
        observation = str(self._machine.call("step", action))
        percent = round(100 * float(self._machine.call("getScore")))
        return Answer(observation, percent, bool(self._machine.call("getCompleted")))

    def description(self) -> str:
        """What is to be done, in words."""
        return str(self._machine.call("getTaskDescription")).strip()

    def gold(self) -> list[str]:
        """The simulator's own solution of the task, in half a second to some seconds; the game is gone by this."""
        self._load(with_gold=True)
        return [str(action) for action in self._machine.call("getGoldActionSequence")]

    def progress(self) -> str:
        """The table of goals and which of them are met."""
        return str(self._machine.call("getGoalProgressStr"))

    def objects(self) -> Any:
        """The tree of all objects with their properties, as JSON."""
        with tempfile.TemporaryDirectory(prefix="cornerman-scienceworld-") as folder:
            if problem := self._machine.call("getObjectTree", folder):
                raise EnvError(f"the tree of objects was not written: {problem}")
            return json.loads((Path(folder) / "objectTree.json").read_text(encoding="utf-8"))

    def close(self) -> None:
        """Give the machine back; call it once."""
        give_back(self._machine)

    def _load(self, *, with_gold: bool) -> None:
        if problem := self._machine.call("load", *self._arguments, with_gold):
            raise EnvError(f"{self._arguments} cannot be loaded: {problem}")
