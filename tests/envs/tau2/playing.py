"""Helpers: tasks by number, calls as actions, and a user that does what it is told."""

from __future__ import annotations

import json
from typing import Any

from cornerman.records import Task
from cornerman_envs.tau2.env import Tau2Env
from cornerman_envs.tau2.spec import SETTINGS

BYE = "Goodbye"


def task_of(setting: str, number: int) -> Task:
    return next(task for task in SETTINGS[setting].tasks() if task.id == f"tau2-{setting}-{number}")


def made(setting: str, number: int) -> Tau2Env:
    return Tau2Env(task_of(setting, number), SETTINGS[setting].domain, solo=SETTINGS[setting].solo)


def call(tool: str, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def obey(told: dict[str, Any]) -> str:
    """Make the call that stands at the end of the agent's words, end with its goodbye, and else tell what was seen."""
    message: str = told["message"]
    if told["dialogue"][-1]["role"] == "tool":
        return f"It says: {message}"
    if BYE in message:
        return "Thanks. ###STOP###"
    return message[message.index("{") :] if message.endswith("}}") else "I need help."


class Talk:
    """An environment with the obedient user; every answer is what the agent sees."""

    def __init__(self, env: Tau2Env) -> None:
        self.env = env
        self.reward, self.over = 0.0, False
        observation, self.info = env.reset()
        self.opening = self._users_turn(observation)

    def act(self, action: str) -> str:
        observation, reward, terminated, truncated, self.info = self.env.step(action)
        self._note(reward, terminated or truncated)
        return self._users_turn(observation)

    def _note(self, reward: float, over: bool) -> None:
        self.reward += reward
        self.over = over

    def _users_turn(self, observation: str) -> str:
        while told := self.info.get("user"):
            observation, reward, terminated, truncated, self.info = self.env.reply(obey(told))
            self._note(reward, terminated or truncated)
        return observation
