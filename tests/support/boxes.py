"""A room with two closed boxes and a coin in one of them: an environment in which what is hidden is known by hand.

`open SIDE` shows what is inside, `take coin` wins where the coin was found. `smash SIDE` wins where the coin is there,
and loses where it is not. `lock SIDE` costs an `unlock SIDE` before that box opens. `wait` changes nothing; the door
leads out and back in. Gold goes in, unlocks, opens and takes.
"""

from __future__ import annotations

from typing import Any

from cornerman.environment import EnvironmentSpec, Info, TextEnv
from cornerman.records import Task

SIDES = ("left", "right")


class Boxes(TextEnv):
    """The coin is on one side."""

    def __init__(self, coin: str) -> None:
        super().__init__()
        self.coin = self.first = coin
        self.opened: list[str] = []
        self.locked: list[str] = []
        self.outside = self.won = self.lost = False

    def _info(self) -> Info:
        sides = [f"{verb} {side}" for verb in ("open", "smash", "lock", "unlock") for side in SIDES]
        listed = [*sides, "take coin", "wait", "door"]
        return {"goal": "Take the coin.", "success": self.won, "score": float(self.won), "admissible_actions": listed}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        super().reset(seed=seed)
        self.restore({"coin": self.first, "opened": [], "locked": [], "outside": False})
        return "Two closed boxes, left and right; a coin is in one of them.", self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        verb, _, side = action.partition(" ")
        text = "Nothing happens."
        if action == "door":
            self.outside = not self.outside
            text = "You are outside." if self.outside else "You are inside."
        elif not self.outside and verb in ("lock", "unlock") and side in SIDES:
            self.locked = [s for s in self.locked if s != side] + [side] * (verb == "lock")
            text = f"You {verb} it."
        elif not self.outside and verb == "open" and side in SIDES and side not in self.locked:
            self.opened = sorted({*self.opened, side})
            text = "There is the coin." if side == self.coin else "It is empty."
        elif not self.outside and verb == "smash" and side in SIDES:
            self.won, self.lost = side == self.coin, side != self.coin
            text = "The coin is yours." if self.won else "That was the wrong one."
        elif not self.outside and action == "take coin" and self.coin in self.opened:
            self.won, text = True, "The coin is yours."
        return text, float(self.won), self.won or self.lost, False, self._info()

    def gold(self) -> list[str] | None:
        if self.won or self.lost:
            return [] if self.won else None
        plan = ["door"] * self.outside
        if self.coin not in self.opened:
            plan += [f"unlock {self.coin}"] * (self.coin in self.locked) + [f"open {self.coin}"]
        return [*plan, "take coin"]

    def consistent_states(self, number: int, seed: int) -> list[Any]:
        return [] if self.opened else [{**self.snapshot(), "coin": side} for side in SIDES][:number]

    def snapshot(self) -> Any:
        return {"coin": self.coin, "opened": self.opened, "locked": self.locked, "outside": self.outside}

    def restore(self, snapshot: Any) -> tuple[str, Info]:
        self.coin, self.outside = snapshot["coin"], snapshot["outside"]
        self.opened, self.locked = list(snapshot["opened"]), list(snapshot["locked"])
        self.won = self.lost = False
        return "Two boxes, left and right.", self._info()


SPEC = EnvironmentSpec(
    id="test/Boxes-v1", make=lambda task: Boxes(**task.settings), light=True, seedable=False, gold="policy"
)


def task(coin: str) -> Task:
    """A room with the coin on one side."""
    return Task(env=SPEC.id, id=f"coin-{coin}", settings={"coin": coin})
