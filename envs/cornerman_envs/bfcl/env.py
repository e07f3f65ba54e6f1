"""Plays one BFCL conversation as an environment of Cornerman."""

from __future__ import annotations

from typing import Any

import gymnasium

from cornerman.environment import MAX_TEXT, Info, TextEnv
from cornerman.records import Task
from cornerman_envs.bfcl.episode import Episode
from cornerman_envs.bfcl.problem import problem_of

GOAL = (
    "Do what the user asks, one request after the other, with the tools. Call a tool with JSON, "
    '{"name": "…", "arguments": {…}}, or several with a list of such objects. Everything else that you write goes to '
    "the user and ends the request: write so when it is done, or to say that a tool or a detail is missing."
)


class BFCLEnv(TextEnv):
    """A user with several requests in a row, and tools whose state the agent changes.

    An action that begins with a brace or bracket is a call or a list of calls, as JSON (a Markdown fence around it is
    taken off); the observation is its result, numbered lines where there are several, or what is wrong with it. Any
    other text is a message to the user, ends the user's turn, and is answered by the next request. More than 20 steps
    in a turn end the conversation. Conversations are fixed: the seed given to `reset` changes nothing.

    The score is the share of the user's turns that passed their check, up to the first that did not; success is that
    all passed. Every public method of the involved backends can be called, those withheld for a time too, as in the
    wheel.
    """

    def __init__(self, task: Task) -> None:
        super().__init__()
        self._problem = problem_of(task)
        self._episode: Episode | None = None

    def _info(self, episode: Episode) -> Info:
        return {"goal": GOAL, "success": episode.success, "score": episode.score, "tools": episode.tools}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Begin the conversation. No options are known."""
        super().reset(seed=seed)
        self._episode = Episode(self._problem)
        return self._episode.message, self._info(self._episode)

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Call tools or speak to the user."""
        episode = self._opened()
        before = episode.score
        observation = episode.act(action)[:MAX_TEXT]
        return observation, episode.score - before, episode.over, False, self._info(episode)

    def _opened(self) -> Episode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("call reset first")
        return self._episode

    def gold(self) -> list[str] | None:
        """The rest of the answer, as long as nothing but its calls was executed; else None."""
        return self._opened().gold()

    def facts(self) -> dict[str, Any]:
        """The calls of this turn's answer, the turns passed, and the public state of all backends."""
        return self._opened().facts()
