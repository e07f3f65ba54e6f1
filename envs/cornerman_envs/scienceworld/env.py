"""Plays one ScienceWorld task as an environment of Cornerman."""

from __future__ import annotations

from typing import Any

import gymnasium

from cornerman.environment import MAX_TEXT, Info, TextEnv
from cornerman.errors import EnvError, UsageError
from cornerman.records import Task
from cornerman_envs.java.machine import java_command
from cornerman_envs.scienceworld import types
from cornerman_envs.scienceworld.simulator import Answer, Simulator, program

OVER = "The task is over."
"""The answer to every action after the end."""
MAX_COMMAND = 300
"""Longest command, in characters, that reaches the simulator. Its own are far shorter."""
_SETTINGS = ("task", "variation", "simplifications")


class ScienceWorldEnv(TextEnv):
    """A task type in one variation. Settings: `task`, `variation`, `simplifications` ("" or names parted by commas).

    The score is the simulator's, in whole percent as the package gives it, over 100: goals met by now, weighted. A
    fatal mistake, such as a focus on the wrong object, is -100 there; here it ends the task with score 0 and without
    success. Success is a score of 1. There is no limit of moves but the suite's.

    No admissible actions are listed: the simulator's own list has up to 1,500 entries, takes several times as long as
    a step, and lacks a third of what its own solutions say, since it names each action on each object once.

    The variation decides everything; a seed given to `reset` changes nothing.
    """

    def __init__(self, task: Task) -> None:
        super().__init__()
        unknown = set(task.settings) - set(_SETTINGS)
        if unknown:
            raise UsageError(f"ScienceWorld has no setting '{min(unknown)}'; it has {', '.join(_SETTINGS)}")
        settings = task.settings
        self._settings = types.check(settings.get("task"), settings.get("variation", 0), settings.get(_SETTINGS[2], ""))
        program()
        java_command()
        self._simulator: Simulator | None = None
        self._sent: list[str] = []
        self._script: list[str] | None = None
        self._goal = ""
        self._answer: Answer | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Open the task; what is seen is a first look around. No options are known."""
        gymnasium.Env.reset(self, seed=seed)
        if self._simulator is None:
            self._simulator = Simulator(*self._settings)
        self._sent, self._answer = [], self._simulator.start()
        self._goal = self._simulator.description()
        return self._answer.observation, self._info(self._answer)

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Execute one command. What the simulator does not understand it says so, and no time passes."""
        before, simulator = self._opened()
        if _ended(before):
            return OVER, 0.0, True, False, self._info(before)
        command = clean(action)
        after = simulator.step(command)
        self._sent.append(command)
        self._answer = after
        gained = _score(after) - _score(before)
        return after.observation[:MAX_TEXT], gained, _ended(after), False, self._info(after)

    def gold(self) -> list[str] | None:
        """The rest of the simulator's own solution, as long as only it was played; [] after winning, else None."""
        answer, simulator = self._opened()
        if _ended(answer):
            return [] if _success(answer) else None
        if self._script is None:
            self._script = simulator.gold()
            self._return(simulator, answer)
        played = len(self._sent)
        return self._script[played:] or None if self._script[:played] == self._sent else None

    def facts(self) -> dict[str, Any]:
        """The table of goals and which are met (`progress`), and the tree of all objects with their properties."""
        _, simulator = self._opened()
        return {"progress": simulator.progress(), "objects": simulator.objects()}

    def close(self) -> None:
        """Give the machine back; `reset` takes one again."""
        if self._simulator is not None:
            self._simulator.close()
        self._simulator = self._answer = None

    def _opened(self) -> tuple[Answer, Simulator]:
        if self._answer is None or self._simulator is None:
            raise gymnasium.error.ResetNeeded("call reset first")
        return self._answer, self._simulator

    def _return(self, simulator: Simulator, answer: Answer) -> None:
        """Play what was played, after the simulator solved the task."""
        again = simulator.start()
        for command in self._sent:
            again = simulator.step(command)
        if again != answer:
            raise EnvError(f"ScienceWorld did not repeat itself after {len(self._sent)} actions of {self._settings}")

    def _info(self, answer: Answer) -> Info:
        return {"goal": self._goal, "success": _success(answer), "score": _score(answer)}


def clean(action: str) -> str:
    """One line of printable characters: white space folded, cut to the longest command."""
    text = "".join(c if c.isprintable() else " " for c in action[: 10 * MAX_COMMAND])
    return " ".join(text.split())[:MAX_COMMAND]


def _score(answer: Answer) -> float:
    return max(answer.percent, 0) / 100


def _success(answer: Answer) -> bool:
    return answer.percent >= 100


def _ended(answer: Answer) -> bool:
    return answer.completed or answer.percent < 0
