"""The kit's own environment that talks to a user: a shop whose customer can ring a bell. Users are checked in it."""

from __future__ import annotations

import json
from typing import Any

from cornerman.engine.view import View
from cornerman.environment import EnvironmentSpec, Info, TextEnv
from cornerman.hookspecs import hookimpl
from cornerman.records import Task

BELL = {
    "name": "ring_bell",
    "description": "Ring the bell on the counter.",
    "parameters": {"type": "object", "properties": {"times": {"type": "integer"}}, "required": []},
}
SCENARIO = {
    "persona": "A customer in a hurry.",
    "reason_for_call": "You want to buy a lamp.",
    "known_info": "Your name is Kim. You live at the east end of the corridor.",
    "unknown_info": "You do not know the price of the lamp.",
}
CALL = json.dumps({"name": "ring_bell", "arguments": {"times": 1}})


class Shop(TextEnv):
    """`length` exchanges with the customer, who has a tool with `bell`; the score is the part of them that is done."""

    def __init__(self, length: int = 4, bell: bool = False, first: bool = True) -> None:
        super().__init__()
        self.length, self.bell, self.first = length, bell, first
        self._begin()

    def _begin(self) -> None:
        self.done, self.rung, self.waiting = 0, False, self.first
        self.dialogue: list[dict[str, str]] = []

    def _info(self) -> Info:
        done = self.done >= self.length
        info: Info = {"goal": "Serve the customer.", "success": done, "score": min(1.0, self.done / self.length)}
        if self.waiting and not done:
            message = self.dialogue[-1]["content"] if self.dialogue else ""
            tools = [BELL] if self.bell else None
            info["user"] = {"message": message, "dialogue": list(self.dialogue), "scenario": SCENARIO, "tools": tools}
        return info

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """The door opens."""
        super().reset(seed=seed)
        self._begin()
        return "A customer comes in.", self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Say something to the customer."""
        self.dialogue.append({"role": "agent", "content": action})
        self.waiting = True
        return "The customer thinks.", 0.0, False, False, self._info()

    def reply(self, text: str) -> tuple[str, float, bool, bool, Info]:
        """The customer speaks, or rings the bell, which it can once after each of the agent's words."""
        self.dialogue.append({"role": "user", "content": text})
        if self.bell and not self.rung and text.startswith("{"):
            self.rung = True
            self.dialogue.append({"role": "tool", "content": "Ding."})
            return "Ding.", 0.0, False, False, self._info()
        exchanged = any(line["role"] == "agent" for line in self.dialogue)
        self.done, self.waiting, self.rung = self.done + exchanged, False, False
        reward = exchanged / self.length
        return f"Customer: {text}", reward, self.done >= self.length, False, self._info()


class Clerk:
    """The agent in the shop: asks, lets the bell be rung, has a thing confirmed, and takes its leave."""

    @hookimpl
    def act(self, view: View) -> str:
        """The next line."""
        lines = ("What is your name?", f"Please use ring_bell now: {CALL}", "That is 5. Do you confirm?", "Goodbye.")
        return lines[view.turn % len(lines)]


SPEC = EnvironmentSpec(
    id="kit/Shop-v1", make=lambda task: Shop(**task.settings), light=True, seedable=False, gold="none", user=True
)

TASKS = (
    Task(env=SPEC.id, id="shop-words", family="shop"),
    Task(env=SPEC.id, id="shop-bell", family="shop", settings={"bell": True}),
    Task(env=SPEC.id, id="shop-asked", family="shop", settings={"bell": True, "first": False, "length": 2}),
)
"""Without tools, with one, and one in which the agent speaks first."""
