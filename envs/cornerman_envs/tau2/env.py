"""Plays one tau2 task as an environment of Cornerman."""

from __future__ import annotations

from typing import Any

import gymnasium

from cornerman.environment import MAX_TEXT, Info, TextEnv
from cornerman.records import Task
from cornerman_envs.tau2.episode import UNANSWERED, Episode
from cornerman_envs.tau2.problem import problem_of

CALLS = (
    'Call a tool with JSON, {"name": "…", "arguments": {…}}, or several with a list of such objects; nothing else may '
    "stand beside it."
)
GOAL = (
    "You are a customer service agent. Help the user according to the policy. "
    f"{CALLS} Everything else that you write goes to the user. The user ends the conversation."
)
SOLO_GOAL = (
    "You are a customer service agent. Solve the ticket according to the policy, with your own tools and those on the "
    f"user's phone. There is no user to talk to. {CALLS} When the ticket is solved, call done."
)


class Tau2Env(TextEnv):
    """A customer's request, a policy to keep, and tools that read and change a database.

    An action that begins with a brace or bracket is a call or a list of calls, as JSON (a Markdown fence around it is
    taken off); the observation is its result, numbered lines where there are several, or what is wrong with it. Any
    other text is a message to the user; alone (`solo`), it is an error. The user's words come from outside, by `reply`;
    in telecom the user has tools of its own, and the agent sees only its words. Tasks are fixed: the seed given to
    `reset` changes nothing.

    As in the wheel, a conversation fails after 200 steps and after 10 errors, of tools or of malformed calls. The score
    is the wheel's reward, 0 until the end and then 0 or 1; success is a score of 1.
    """

    def __init__(self, task: Task, domain: str, *, solo: bool = False) -> None:
        super().__init__()
        self._problem = problem_of(task, domain, solo)
        self._episode: Episode | None = None

    def _info(self, episode: Episode) -> Info:
        solo = self._problem.solo
        info: Info = {
            "goal": SOLO_GOAL if solo else GOAL,
            "success": episode.success,
            "score": float(episode.success),
            "policy": episode.world.policy,
            "tools": episode.tools,
        }
        if episode.waiting:
            info["user"] = {
                "message": episode.message,
                "dialogue": [dict(line) for line in episode.dialogue],
                "scenario": self._problem.scenario,
                "tools": episode.user_tools,
            }
        return info

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Begin: the policy and the ticket, or the policy alone while the user is asked. No options are known."""
        super().reset(seed=seed)
        self._episode = episode = Episode(self._problem)
        opening = UNANSWERED if episode.waiting else f"Ticket: {self._problem.model.ticket}"
        return self._with_policy(opening), self._info(episode)

    def _with_policy(self, opening: str) -> str:
        """The agent's first observation."""
        return f"Policy:\n{self._opened().world.policy.strip()}\n\n{opening}"

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Call tools or speak to the user."""
        episode = self._opened()
        return self._result(episode, episode.success, episode.act(action))

    def reply(self, text: str) -> tuple[str, float, bool, bool, Info]:
        """The user's words or calls; with the first words the agent is shown the policy."""
        episode = self._opened()
        before, opening = episode.success, episode.opening
        answer = episode.reply(text)
        if opening and not episode.waiting:
            answer = self._with_policy(f"User: {answer}")
        return self._result(episode, before, answer)

    def _result(self, episode: Episode, before: bool, observation: str) -> tuple[str, float, bool, bool, Info]:
        if episode.waiting:
            observation = UNANSWERED
        cut = episode.end in ("max_steps", "too_many_errors")
        ended = episode.end is not None and not cut
        reward = float(episode.success) - float(before)
        return observation[:MAX_TEXT], reward, ended, cut, self._info(episode)

    def _opened(self) -> Episode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("call reset first")
        return self._episode

    def gold(self) -> list[str] | None:
        """The rest of the wheel's answer, as long as nothing was changed but by its calls; else None."""
        return self._opened().gold()

    def facts(self) -> dict[str, Any]:
        """What would decide now, the answer's calls, what the agent must tell, and the user's side."""
        return self._opened().facts()
