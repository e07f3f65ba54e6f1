"""Plays one ALFWorld game as an environment of Cornerman, on our engine or on the stock one."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import gymnasium

from cornerman.environment import Info, TextEnv
from cornerman.errors import EnvError
from cornerman.records import Task
from cornerman_envs.alfworld.engine import Game
from cornerman_envs.alfworld.games import Source, load, source_of
from cornerman_envs.alfworld.gold import GoldError, gold_plan
from cornerman_envs.alfworld.worlds import consistent

GOAL = re.compile(r"Your task is to: ([^\n]+)")
OVER = "The game is over."
"""The answer to every action after the end."""


class ALFWorldEnv(TextEnv):
    """One game. Solved or not is all it knows: the score is 1 when it is won, else 0.

    A command that does nothing is answered by "Nothing happens." and costs a turn, as in ALFWorld. Games are fixed: the
    seed given to `reset` changes nothing. `stock` plays on textworld's engine instead of ours (extra `alfworld`).
    """

    def __init__(self, task: Task, *, stock: bool = False) -> None:
        super().__init__()
        self._source: Source = source_of(task)
        self._game: Any = load(self._source, stock=stock)
        self._state: Any = None
        self._actions: list[str] | None = None
        goal = GOAL.search(self._game.intro)
        self._goal = goal.group(1).strip() if goal else ""

    def _info(self) -> Info:
        won = bool(self._game.won(self._state))
        return {
            "goal": self._goal,
            "success": won,
            "score": float(won),
            "admissible_actions": [] if won else self._game.admissible(self._state),
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Open the game. No options are known."""
        super().reset(seed=seed)
        self._state, self._actions = self._game.reset(), []
        return self._game.intro, self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Execute one command."""
        state = self._opened()
        if self._game.won(state):
            return OVER, 0.0, True, False, self._info()
        command = " ".join(action.split())
        if self._actions is not None:
            self._actions.append(command)
        feedback = self._game.step(state, command)
        info = self._info()
        return feedback, info["score"], info["success"], False, info

    def _opened(self) -> Any:
        if self._state is None:
            raise gymnasium.error.ResetNeeded("call reset first")
        return self._state

    def gold(self) -> list[str] | None:
        """Commands that win from here; None where the target object has left the room for good."""
        try:
            return gold_plan(self._game, self._opened(), self._source.params)
        except GoldError:
            return None

    def facts(self) -> list[list[Any]]:
        """All symbolic facts in players' names, as [predicate, [names]]."""
        return [[name, list(args)] for name, args in self._game.facts(self._opened())]

    def consistent_states(self, number: int, seed: int) -> list[str] | None:
        """The things not seen yet laid out anew; None on the stock engine, and after `restore`.

        A snapshot does not say what was seen before it.
        """
        if self._actions is None or not isinstance(self._game, Game):
            return None
        found = consistent(self._game, self._actions, number, random.Random(seed))
        return [json.dumps(state.to_json()) for state in found]

    def snapshot(self) -> str:
        """The state; JSON text, since its integers are wider than other JSON readers take."""
        return json.dumps(self._opened().to_json())

    def restore(self, snapshot: Any) -> tuple[str, Info]:
        """Return to a snapshot. The observation is that of `look`, which changes nothing."""
        if not isinstance(snapshot, str):
            raise EnvError(f"an ALFWorld snapshot is text, not {type(snapshot).__name__}")
        self._state = type(self._game.reset()).from_json(json.loads(snapshot))
        self._actions = None
        return self._game.step(self._state.fork(), "look"), self._info()
