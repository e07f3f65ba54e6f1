"""Plays the game of the hidden object as an environment of Cornerman."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task
from cornerman.seeds import generator
from cornerman_envs.light.env import LightEnv
from cornerman_envs.light.listing import parse

PLACES = ("fridge", "drawer", "cabinet", "chest", "shelf", "basket")
FOOD = ("apple", "potato", "egg", "bread")
WARE = ("mug", "plate", "fork", "knife")
OBJECTS = (*FOOD, *WARE)
PROCESSES = {"heat": "hot", "wash": "clean", "cool": "cold"}
"""What each verb makes of an object."""

USUAL = 0.4
"""How often an object is put where its kind belongs; otherwise any place is as likely as another."""
OTHERS = 0.4
"""How often a place without the object holds another one."""
RULES = "Find it, take it, heat, wash or cool it, and serve it."
PLAIN_RULES = "Find it, take it, and serve it."
UNKNOWN = "That can not be done."


Part = Literal["train", "dev", "test"]


def pairs(part: str | None, states: bool = True) -> list[tuple[str, str | None]]:
    """The pairs of object and state of a split (all without one): one in eight is `dev`, one `test`, six `train`."""
    listed = [(thing, state) for thing in OBJECTS for state in (PROCESSES.values() if states else (None,))]
    at = {0: "dev", 4: "test"}
    return [pair for i, pair in enumerate(listed) if part in (None, at.get(i % 8, "train"))]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`object`, and the `state` it is wanted in (none: as it is); `places`, how many there are.

    Without an object the seed chooses one and its state, of a `part` if one is named.
    """

    object: str | None = None
    state: str | None = None
    places: Annotated[int, msgspec.Meta(ge=2, le=len(PLACES))] = len(PLACES)
    part: Part | None = None


class State(msgspec.Struct, frozen=True):
    """Where one has looked, what one holds and what was last done to it, the best stage reached, and the end."""

    looked: tuple[str, ...] = ()
    held: str | None = None
    state: str | None = None
    stage: int = 0
    served: bool = False


class HiddenEnv(LightEnv[State]):
    """One object in one place.

    The score is the share of the stages that were reached: the object seen, taken, brought into the state that is
    asked for (where one is), served in it. Serving ends the game, won or lost; what was taken can not be put back.
    """

    state_type = State

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        wanted = parse(Settings, task)
        for value, known in ((wanted.object, (*OBJECTS, None)), (wanted.state, (*PROCESSES.values(), None))):
            if value not in known:
                nearest = did_you_mean(str(value), [k for k in known if k is not None])
                raise UsageError(f"task {task.id}: {task.env} knows no '{value}'; {nearest}")
        self.object, self.wanted = wanted.object, wanted.state
        if self.object is None:
            self.object, self.wanted = generator("hidden", task.seed).choice(pairs(wanted.part))
        self.places = PLACES[: wanted.places]
        self.stages = 3 if self.wanted is None else 4
        self.goal = f"serve the {self.object}" if self.wanted is None else f"serve a {self.wanted} {self.object}"
        chance = generator("hidden", task.seed, self.object, self.wanted, wanted.places)
        home = "fridge" if self.object in FOOD else "drawer"
        self.place = home if chance.random() < USUAL else chance.choice(self.places)
        self.content: dict[str, str | None] = {self.place: self.object}
        for place in self.places:
            if place != self.place:
                other = chance.choice([o for o in OBJECTS if o != self.object])
                self.content[place] = other if chance.random() < OTHERS else None

    def start(self, seed: int) -> State:
        """Nothing is known and nothing held."""
        return State()

    def opening(self) -> str:
        """What to do, and the task."""
        return f"{PLAIN_RULES if self.wanted is None else RULES}\nTask: {self.goal}."

    def look(self, state: State) -> str:
        """What is held and what has been seen."""
        held = f"You hold the {state.held}." if state.held else "You hold nothing."
        return "\n".join([held, *map(self._seen, state.looked)])

    def _seen(self, place: str) -> str:
        thing = self.content[place]
        return f"The {thing} is in the {place}." if thing else f"The {place} is empty."

    def play(self, state: State, action: str) -> tuple[State, str]:
        """Look into a place, take what was seen, do something to it, or serve it."""
        if action not in self.admissible(state):
            return state, UNKNOWN
        verb, *_, thing = action.split()
        if verb == "look":
            after = msgspec.structs.replace(state, looked=(*state.looked, thing))
            return self._reach(after, 1, thing == self.place), self._seen(thing)
        if verb == "take":
            after = msgspec.structs.replace(state, held=thing)
            return self._reach(after, 2, thing == self.object), f"You hold the {thing}."
        if verb in PROCESSES:
            after = msgspec.structs.replace(state, state=PROCESSES[verb])
            right = state.held == self.object and after.state == self.wanted
            return self._reach(after, 3, right), f"It is {after.state}."
        after = msgspec.structs.replace(state, served=True)
        right = state.held == self.object and state.state == self.wanted
        return self._reach(after, self.stages, right), "Well done." if right else "That was not asked for."

    @staticmethod
    def _reach(state: State, stage: int, right: bool) -> State:
        return msgspec.structs.replace(state, stage=max(state.stage, stage)) if right else state

    def score(self, state: State) -> float:
        """The share of the stages."""
        return state.stage / self.stages

    def won(self, state: State) -> bool:
        """Whether the right object was served in the right state."""
        return state.stage == self.stages

    def lost(self, state: State) -> bool:
        """Whether something else was served."""
        return state.served and not self.won(state)

    def admissible(self, state: State) -> list[str]:
        """Places not yet looked into and things seen; or, with something in hand, what can be done with it."""
        if state.held is not None:
            return [*([] if self.wanted is None else [f"{verb} it" for verb in PROCESSES]), "serve it"]
        seen = sorted({thing for place in state.looked if (thing := self.content[place])})
        return [*(f"look in the {p}" for p in self.places if p not in state.looked), *(f"take the {t}" for t in seen)]

    def plan(self, state: State) -> list[str] | None:
        """The shortest way; None with something else in hand."""
        if state.held not in (None, self.object):
            return None
        look = [] if state.held or self.place in state.looked else [f"look in the {self.place}"]
        take = [] if state.held else [f"take the {self.object}"]
        verbs = [verb for verb, made in PROCESSES.items() if made == self.wanted and state.state != made]
        return [*look, *take, *(f"{verb} it" for verb in verbs), "serve it"]

    def hidden(self, state: State) -> dict[str, Any]:
        """Where everything is, and how far one has come."""
        return {"place": self.place, "content": dict(self.content), "held": state.held, "stage": state.stage}
