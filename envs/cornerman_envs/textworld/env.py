"""Plays one TextWorld game as an environment of Cornerman."""

from __future__ import annotations

from typing import Any

import gymnasium

from cornerman.environment import Info, TextEnv
from cornerman.errors import EnvError
from cornerman.records import Task

from . import commands, games, library, prose
from .kinds import kind_of
from .mirror import Mirror

OVER = "The game is over."
"""The answer to every action after the end."""


class TextWorldEnv(TextEnv):
    """One game, `game`. It is made at construction, in about four seconds, unless the cache has it.

    The score is the game's own over its maximum; success is winning; both winning and losing end the game. A seed given
    to `reset` changes nothing in the game, whose every part comes from the seed of its task. `task.data`, where set, is
    the digest of the game's source: another game made from the same seed, by other versions of textworld or NumPy, is
    refused with EnvError.
    """

    def __init__(self, task: Task) -> None:
        super().__init__()
        kind = kind_of(task.env)
        library.require(f"environment '{task.env}'")
        self.game = games.obtain(kind, kind.parse(task.settings), task.seed)
        if task.data is not None and task.data != self.game.source:
            raise EnvError(
                f"the game made here for task {task.id} is not the one of its suite (source {self.game.source[:12]}, "
                f"expected {task.data[:12]}); install the textworld and numpy of Cornerman's constraints.txt"
            )
        self._play: Any = None
        self._mirror: Mirror | None = None
        self._sent: list[str] = []
        self._script: list[str] | None = None
        self._goal, self._max_score = "", 1.0
        self._info: Info | None = None
        self._ended = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Open the game. No options are known."""
        gymnasium.Env.reset(self, seed=seed)
        if self._play is None:
            self._play = library.start(self.game.path, admissible_commands=True)
        if self._mirror is not None:
            self._mirror.restart()
        self._sent, self._script, self._ended = [], None, False
        state = self._play.reset()
        self._goal = prose.clean(state.objective)
        self._max_score = float(state.max_score)
        return prose.clean(state.feedback), self._read(state)

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Execute the first command of the action. What no game understands costs a turn and changes nothing."""
        info = self._opened()
        if self._ended:
            return OVER, 0.0, True, False, dict(info)
        command = commands.clean(action)
        word = commands.reserved(command)
        if word is not None:
            return f'"{word}" is not a command of this game.', 0.0, False, False, dict(info)
        state, _, _ = self._play.step(command)
        self._sent.append(command)
        self._script = self._script[1:] if self._script and self._script[0] == command else None
        self._ended = bool(state.won or state.lost)
        after = self._read(state)
        return prose.clean(state.feedback), after["score"] - info["score"], self._ended, False, after

    def gold(self) -> list[str] | None:
        """Commands that win from here, by textworld's planner; [] after winning, None once nothing wins any more.

        The planner follows the game's logic. Where a command outside of that logic (`enter bath`) has moved the player,
        its plan may fail.
        """
        info = self._opened()
        if self._ended:
            return [] if info["success"] else None
        if self._script is None:
            self._script = self._mirrored().plan(self._sent)
        return list(self._script) or None

    def facts(self) -> list[str]:
        """All that is true of the world, as sorted propositions like `in(apple: f, refrigerator: c)`."""
        self._opened()
        return self._mirrored().facts(self._sent)

    def close(self) -> None:
        """End the interpreters; `reset` starts them again."""
        for player in (self._play, self._mirror):
            if player is not None:
                player.close()
        self._play = self._mirror = self._info = None

    def _opened(self) -> Info:
        if self._info is None:
            raise gymnasium.error.ResetNeeded("call reset first")
        return self._info

    def _mirrored(self) -> Mirror:
        if self._mirror is None:
            self._mirror = Mirror(self.game.path)
        return self._mirror

    def _read(self, state: Any) -> Info:
        self._info = {
            "goal": self._goal,
            "success": bool(state.won),
            "score": state.score / self._max_score,
            "admissible_actions": [] if self._ended else state.admissible_commands,
        }
        return dict(self._info)
