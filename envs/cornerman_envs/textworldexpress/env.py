"""Plays one TextWorld-Express game as an environment of Cornerman."""

from __future__ import annotations

from typing import Any

import gymnasium

from cornerman.environment import Info, TextEnv
from cornerman.errors import EnvError, UsageError, did_you_mean
from cornerman.records import Task
from cornerman_envs.java.machine import java_command
from cornerman_envs.textworldexpress.simulator import Answer, Simulator, program
from cornerman_envs.textworldexpress.solution import solution

GAMES = ("cookingworld", "twc", "coin", "mapreader", "arithmetic", "sorting", "simonsays", "peckingorder")
FOLDS = ("train", "dev", "test")
OVER = "The game is over."
"""The answer to every action after the end."""
MAX_COMMAND = 300
"""Longest command, in characters, that reaches the simulator. Its own are far shorter."""
_SETTINGS = ("game", "fold", "parameters")


class TextWorldExpressEnv(TextEnv):
    """One game. Settings: `game`, `fold` (which objects and problems it draws from) and `parameters`, the package's.

    The seed of the task, or one given to `reset`, makes the game. The score is the game's, which is 1 when it is won; a
    loss can make it negative there and 0 here. Winning and losing end the game; there is no limit of moves but the
    suite's.
    """

    def __init__(self, task: Task) -> None:
        super().__init__()
        settings = {"fold": "train", "parameters": "", **task.settings}
        for name in settings:
            if name not in _SETTINGS:
                raise UsageError(f"TextWorld-Express has no setting '{name}'; {did_you_mean(name, _SETTINGS)}")
        for name, known in (("game", GAMES), ("fold", FOLDS)):
            value = settings.get(name)
            if value not in known:
                raise UsageError(f"TextWorld-Express has no {name} {value!r}; {did_you_mean(str(value), known)}")
        if not isinstance(settings["parameters"], str):
            raise UsageError(f"parameters is {settings['parameters']!r}; it takes text such as 'numLocations=5'")
        self._game, self._fold, self._parameters = (settings[name] for name in _SETTINGS)
        program()
        java_command()
        self._task_seed = self._seed = task.seed
        self._simulator: Simulator | None = None
        self._sent: list[str] = []
        self._script: list[str] | None = None
        self._solved = False
        self._goal = ""
        self._answer: Answer | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Open the game of the seed. No options are known."""
        gymnasium.Env.reset(self, seed=seed)
        if self._simulator is None:
            self._simulator = Simulator(self._game, self._parameters)
        # The simulator's seeds are 32-bit integers.
        chosen = (self._task_seed if seed is None else seed) & 0x7FFFFFFF
        if chosen != self._seed:
            self._solved = False
        self._seed, self._sent = chosen, []
        self._answer = self._simulator.start(self._seed, self._fold)
        self._goal = self._simulator.description()
        return self._answer.observation, self._info(self._answer)

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Execute one command. What the game does not know changes nothing."""
        before, simulator = self._opened()
        if _ended(before):
            return OVER, 0.0, True, False, self._info(before)
        command = clean(action)
        after = simulator.step(command)
        self._sent.append(command)
        self._answer = after
        return after.observation, _score(after) - _score(before), _ended(after), False, self._info(after)

    def gold(self) -> list[str] | None:
        """The rest of the solution, as long as only it was played; [] after winning, else None."""
        answer, simulator = self._opened()
        if _ended(answer):
            return [] if answer.success else None
        if not self._solved:
            self._script, self._solved = solution(simulator, self._seed, self._fold), True
            self._return(simulator, answer)
        script, played = self._script, len(self._sent)
        return script[played:] or None if script is not None and script[:played] == self._sent else None

    def facts(self) -> dict[str, Any]:
        """The parameters of the game and its hidden numbers, where it has any."""
        _, simulator = self._opened()
        return {"properties": simulator.properties()}

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
        """Play what was played, after the game was solved."""
        again = simulator.start(self._seed, self._fold)
        for command in self._sent:
            again = simulator.step(command)
        if again != answer:
            raise EnvError(f"TextWorld-Express did not repeat itself after {len(self._sent)} actions")

    def _info(self, answer: Answer) -> Info:
        return {
            "goal": self._goal,
            "success": answer.success,
            "score": _score(answer),
            "admissible_actions": [] if _ended(answer) else list(answer.commands),
        }


def clean(action: str) -> str:
    """One line of printable characters: white space folded, cut to the longest command."""
    text = "".join(c if c.isprintable() else " " for c in action[: 10 * MAX_COMMAND])
    return " ".join(text.split())[:MAX_COMMAND]


def _score(answer: Answer) -> float:
    return min(max(answer.score, 0.0), 1.0)


def _ended(answer: Answer) -> bool:
    return answer.success or answer.failure
