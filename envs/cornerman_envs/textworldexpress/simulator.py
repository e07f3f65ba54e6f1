"""The simulator of the textworld-express package, without the package's own Python class, which starts a machine for
every instance and leaves its memory without a bound."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
from pathlib import Path
from typing import Any, NamedTuple

from cornerman.errors import EnvError, MissingExtra
from cornerman_envs.java.lending import give_back, lend
from cornerman_envs.java.machine import Program, heap_mb

PACKAGE = "textworld_express"
_CLASS = "textworldexpress.runtime.PythonInterface"
_AGENTS = "textworldexpress.goldagent"
_HEAP_MB = 128


class Answer(NamedTuple):
    """What the simulator says to an action, and what it shows on the side. The score is negative after some losses."""

    observation: str
    look: str
    inventory: str
    commands: tuple[str, ...]
    score: float
    success: bool
    failure: bool


def program() -> Program:
    """What a machine has to run. Raises `MissingExtra` where the package is not installed."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise MissingExtra("environment 'cornerman/TextWorldExpress-v1'", "twx")
    return Program(Path(found.origin).parent / "textworld-express.jar", _CLASS, heap_mb(_HEAP_MB))


def versions() -> dict[str, str]:
    """Version of what plays."""
    return {"textworld-express": importlib.metadata.version("textworld-express")}


class Simulator:
    """One kind of game with its parameters (`name=number`, comma separated), on a machine of its own until `close`."""

    def __init__(self, game: str, parameters: str) -> None:
        self._machine = lend(program())
        if problem := self._machine.call("load", game, parameters):
            give_back(self._machine)
            raise EnvError(f"the game '{game}' with parameters '{parameters}' cannot be loaded: {problem.strip()}")

    def start(self, seed: int, fold: str) -> Answer:
        """A game from its beginning; the seed and the fold decide everything."""
        return _read(self._machine.call("generateNewGameJSON", seed, fold, False))

    def step(self, action: str) -> Answer:
        """Execute an action."""
        return _read(self._machine.call("stepJSON", action))

    def description(self) -> str:
        """What is to be done, in words."""
        return str(self._machine.call("getTaskDescription")).strip()

    def properties(self) -> Any:
        """The parameters of the present game and its hidden numbers, as JSON."""
        return json.loads(self._machine.call("getGenerationPropertiesJSON"))

    def solve(self, seed: int) -> list[str] | None:
        """Actions of the game's own agent, which plays on the present game, or None where it gives up.

        Where the agent walks at random, its walk follows from the seed; the package seeds it by the time.
        """
        game = self._machine.call("game")
        kind = str(self._machine.call("getSimpleName", on=self._machine.call("getClass", on=game)))
        agent = self._machine.make(f"{_AGENTS}.{kind.removesuffix('Game')}GoldAgent", game)
        found = self._machine.call("mkGoldPath", self._machine.make("scala.util.Random", seed), on=agent)
        if not self._machine.call("_1", on=found):
            return None
        return [str(action) for action in self._machine.call("_2", on=found)]

    def close(self) -> None:
        """Give the machine back; call it once."""
        give_back(self._machine)


def _read(text: str) -> Answer:
    raw = json.loads(text, strict=False)
    return Answer(
        observation=raw["observation"],
        look=raw["look"],
        inventory=raw["inventory"],
        commands=tuple(sorted(raw["validActions"])),
        score=float(raw["score"]),
        success=bool(raw["tasksuccess"]),
        failure=bool(raw["taskfailure"]),
    )
