"""Plays BabyAI as an environment of Cornerman."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from cornerman.errors import EnvError
from cornerman.records import Task
from cornerman.suites import digest_of
from cornerman_envs.light.env import LightEnv
from cornerman_envs.light.listing import parse

from . import actions, gold
from .levels import content, make_level
from .view import View
from .world import State, World, compound

RULES = (
    "You are in a world of rooms and see a part of it, ahead of you. Carry out the mission. "
    f"Actions: {actions.GRAMMAR}. Things of one name are numbered, the nearest first, anew at each step; places count "
    "steps from you. What is named must be in view. Doors are opened by toggling, locked ones with a key of their "
    "colour in hand; a box that is toggled is gone. You carry one thing at most."
)
WON = "The mission is complete."
LOST = "That was the wrong one: the mission has failed."


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `level`, by its name in `levels`; `part`, the split that the world belongs to."""

    level: str = "GoToLocal"
    part: Literal["train", "dev", "test"] | None = None


class BabyAIEnv(LightEnv[State]):
    """One world and one mission. The score is the share of the mission's parts that are done.

    Parts are the simple instructions; one counts as done when minigrid's verifier says so, and stays done. Success ends
    the game; in a few levels the wrong door or thing does, too, without success.
    """

    state_type = State

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        settings = parse(Settings, task)
        level = make_level(settings.level, task.seed, settings.part)
        self.data = digest_of(content(level))
        if task.data not in (None, self.data):
            raise EnvError(
                f"task {task.id}: the installed minigrid and NumPy make another world than the suite's; "
                "install with -c constraints.txt"
            )
        self.goal = str(level.mission)
        self.world = World(level)
        self._first = self.world.save()
        self._route: dict[State, list[str]] = {}
        self._seen: tuple[State, View] | None = None

    def start(self, seed: int) -> State:
        """The world as it was made; chance has no part in what follows."""
        return self._first

    def opening(self) -> str:
        """The rules, the mission and what is in view."""
        return f"{RULES}\n\nMission: {self.goal}\n\n{self.look(self._first)}"

    def look(self, state: State) -> str:
        """What is in view, or how it ended."""
        return self._view(state).words() if not state.end else WON if state.end == "won" else LOST

    def play(self, state: State, action: str) -> tuple[State, str]:
        """The moves of a command."""
        try:
            course = actions.course(self._view(state), action)
        except actions.Refused as refusal:
            return state, f"{refusal}\n{self.look(state)}"
        if course is None:
            return state, actions.UNKNOWN
        self.world.load(state)
        gold.run(self.world, course)
        after = self.world.save()
        return after, self.look(after)

    def score(self, state: State) -> float:
        """The share of simple instructions that are done."""
        parts = len(self.world.simple)
        if state.end == "won":
            return 1.0
        done = dict(zip(map(id, compound(self.world.level.instrs)), state.done, strict=True))
        return _done(self.world.level.instrs, False, done) / parts

    def won(self, state: State) -> bool:
        """Whether minigrid has ended the level with a reward above 0."""
        return state.end == "won"

    def lost(self, state: State) -> bool:
        """Whether minigrid has ended it without one."""
        return state.end == "lost"

    def admissible(self, state: State) -> list[str]:
        """The commands that do something."""
        return actions.admissible(self._view(state))

    def plan(self, state: State) -> list[str] | None:
        """What minigrid's bot would do, see `gold`. Along a plan that was made, the rest of it."""
        if state not in self._route:
            told = gold.plan(self.world, state)
            if told is None:
                return None
            commands = [command for _, command in told]
            self._route = {here: commands[number:] for number, (here, _) in enumerate(told)}
        return list(self._route[state])

    def hidden(self, state: State) -> dict[str, Any]:
        """The whole grid as minigrid prints it, the agent, and what remains to be done."""
        self.world.load(state)
        level = self.world.level
        return {
            "level": parse(Settings, self.task).level,
            "mission": self.goal,
            "grid": level.pprint_grid().split("\n"),
            "agent": {"x": state.x, "y": state.y, "facing": state.facing},
            "carrying": None if level.carrying is None else f"{level.carrying.color} {level.carrying.type}",
            "done": round(self.score(state) * len(self.world.simple)),
        }

    def restore(self, snapshot: Any) -> tuple[str, Any]:
        """Return to a snapshot of the same task."""
        kept = self._state
        try:
            return super().restore(snapshot)
        except ValueError as error:
            self._state = kept
            raise EnvError(f"not a snapshot of {self.task.env}: {error}") from None

    def _view(self, state: State) -> View:
        """What is seen in a state; the last one is kept, since a step asks for it several times."""
        if self._seen is None or self._seen[0] is not state:
            self.world.load(state)
            self._seen = (state, View(self.world))
        return self._seen[1]


def _done(instruction: Any, whole: bool, done: dict[int, tuple[bool, bool]]) -> int:
    """How many simple parts of an instruction are done."""
    if id(instruction) not in done:
        return int(whole)
    first, second = done[id(instruction)]
    return _done(instruction.instr_a, whole or first, done) + _done(instruction.instr_b, whole or second, done)
