"""The kit's own small environment: a corridor with a lamp at its east end. Plug-ins are checked in it."""

from __future__ import annotations

from typing import Any

from cornerman.environment import EnvironmentSpec, Info, TextEnv
from cornerman.records import Task

ACTIONS = ("go east", "go west", "wait")


class Corridor(TextEnv):
    """`length` steps from the door to the lamp; the score is the part of the way that is done."""

    def __init__(self, length: int = 3) -> None:
        super().__init__()
        self.length, self.place = length, 0

    def _info(self) -> Info:
        done = self.place == self.length
        return {
            "goal": "Reach the lamp at the east end of the corridor.",
            "success": done,
            "score": self.place / self.length,
            "admissible_actions": [] if done else list(ACTIONS),
            "policy": "Do not run.",
        }

    def _look(self) -> str:
        return f"You stand {self.place} steps from the door. The lamp is in the east."

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """At the door."""
        super().reset(seed=seed)
        self.place = 0
        return self._look(), self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Walk or wait; anything else is not understood."""
        before = self.place
        if action in ("go east", "go west"):
            self.place = max(0, min(self.length, before + (1 if action == "go east" else -1)))
        text = self._look() if self.place != before else "Nothing happens."
        return text, (self.place - before) / self.length, self.place == self.length, False, self._info()

    def gold(self) -> list[str]:
        """East all the way."""
        return ["go east"] * (self.length - self.place)

    def facts(self) -> Any:
        """Where one stands."""
        return {"place": self.place, "length": self.length}

    def snapshot(self) -> Any:
        """The place."""
        return self.place

    def restore(self, snapshot: Any) -> tuple[str, Info]:
        """Back to a place."""
        self.place = int(snapshot)
        return self._look(), self._info()


SPEC = EnvironmentSpec(
    id="kit/Corridor-v1", make=lambda task: Corridor(**task.settings), light=True, seedable=False, gold="policy"
)

TASKS = tuple(Task(env=SPEC.id, id=f"corridor-{n}", family="corridor", settings={"length": n}) for n in (2, 3, 30))
"""Two that are solved and one that no attempt of the kit is long enough for."""
