"""A lockbox: read the note, then turn the dial as it says. Five tasks make the suite `lockbox-smoke`."""

from typing import Any

from cornerman import hookimpl
from cornerman.environment import EnvironmentSpec, Info, TextEnv
from cornerman.records import Task
from cornerman.registry import Registry
from cornerman.seeds import generator
from cornerman.suites import Rules, Suite

ENV = "example/Lockbox-v1"
TURNS = ("turn left", "turn right")


class Lockbox(TextEnv):
    """Opens when its dial is turned in the right order; a wrong turn sets it back."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        rng = generator("lockbox", task.seed)
        self.code = [rng.choice(TURNS) for _ in range(task.settings.get("length", 3))]
        self.right = 0

    def _info(self) -> Info:
        return {
            "goal": "Open the lockbox.",
            "success": self.right == len(self.code),
            "score": self.right / len(self.code),
            "admissible_actions": ["read note", *TURNS],
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Back to a closed box."""
        super().reset(seed=seed)
        self.right = 0
        return "A lockbox with a dial and a note.", self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """One action; any other text is answered, too."""
        before = self._info()["score"]
        if action == "read note":
            text = "The note says: " + ", ".join(self.code) + "."
        elif action in TURNS and self.right < len(self.code):
            self.right = self.right + 1 if action == self.code[self.right] else 0
            text = "It clicks." if self.right else "Nothing happens, and the dial springs back."
        else:
            text = "Nothing happens."
        info = self._info()
        return text, info["score"] - before, info["success"], False, info

    def gold(self) -> list[str]:
        """What is left to turn."""
        return self.code[self.right :]

    def facts(self) -> dict[str, Any]:
        """The hidden state."""
        return {"code": self.code, "right": self.right}


def tasks(split: str) -> list[Task]:
    """Every task of a split."""
    return [
        Task(env=ENV, id=f"lockbox-{split}-{i}", split=split, seed=i, family="lockbox", settings={"length": 2 + i})
        for i in range(5)
    ]


lockbox = EnvironmentSpec(id=ENV, make=Lockbox, light=True, seedable=False, splits=("test",), tasks=tasks)


def smoke() -> Suite:
    """The suite: its tasks and its rules."""
    return Suite(name="lockbox-smoke", tasks=tuple(tasks("test")), rules=Rules(max_turns=20), description="five boxes")


@hookimpl
def register(registry: Registry) -> None:
    """Enter both into the catalogue."""
    registry.add("environment", ENV, lockbox, doc="a box whose dial must be turned in order")
    registry.add("suite", "lockbox-smoke", smoke, doc="five lockboxes")
