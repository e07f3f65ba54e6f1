"""The gold policy: from any state of a game, the next command towards its goal, read off the symbolic facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cornerman.errors import CornermanError
from cornerman_envs.alfworld.engine import Fact
from cornerman_envs.alfworld.protocol import M, TextGame
from cornerman_envs.alfworld.tasks import TREATMENTS, TaskParams

MAX_PLAN = 60
"""Commands after which `gold_plan` gives up; the longest plan that a game needs has about fifteen."""


class GoldError(CornermanError):
    """The gold policy sees no way to the goal: the game is lost.

    Official games have such states: they hold things (a teddy bear, a roll of paper towels) that can be taken and
    that no receptacle takes back. Generated games have none.
    """


def gold_action(facts: Iterable[Fact], params: TaskParams, admissible: list[str]) -> str:
    """The next command towards the goal, an admissible one, in a state that is not won.

    It works from the facts alone, without search: put away what is in the way, fetch the object, treat it, bring it.

    Args:
        facts: all facts of the state, in players' names, as the engines give them.
        params: what the task asks for.
        admissible: the commands that do something in the state.

    Raises:
        GoldError: the goal is out of reach (the object is not in the room).
    """
    return _Room(facts, params, admissible).next_command()


def gold_plan(game: TextGame[M], state: M, params: TaskParams) -> list[str]:
    """The commands by which the gold policy wins from `state`, which stays as it is; none if it is won already.

    Raises:
        GoldError: the policy does not win within `MAX_PLAN` commands.
    """
    moment = state.fork()
    plan: list[str] = []
    while not game.won(moment):
        if len(plan) == MAX_PLAN:
            raise GoldError(f"the gold policy did not win within {MAX_PLAN} commands: {' > '.join(plan)}")
        command = gold_action(game.facts(moment), params, game.admissible(moment))
        game.step(moment, command)
        plan.append(command)
    return plan


def _kind(name: str) -> str:
    """`apple` for `apple 2`."""
    return name.rpartition(" ")[0]


class _Room:
    """What the facts say, by what is asked about them."""

    def __init__(self, facts: Iterable[Fact], params: TaskParams, admissible: list[str]) -> None:
        table: dict[str, list[Any]] = {}
        for predicate, names in facts:
            table.setdefault(predicate, []).append(names)
        self.admissible = frozenset(admissible)
        self.task = params.task_type
        self.object_kind = params.object_target.lower()
        self.target_kind = (params.parent_target or params.toggle_target).lower()
        self.treatment = TREATMENTS.get(params.task_type)
        self.place = dict[str, str](table.get("receptacleatlocation", []))
        self.here = {location for _, location in table.get("atlocation", [])}
        self.homes = sorted((o, r) for o, r in table.get("inreceptacle", []) if r in self.place)
        self.closed = {r for (r,) in table.get("openable", [])} - {r for (r,) in table.get("opened", [])}
        self.held = next((o for _, o in table.get("holds", [])), None)
        self.treated = {o for (o,) in table.get(self.treatment.fact, [])} if self.treatment else set()
        self.toggled = {o for (o,) in table.get("istoggled", [])}
        self.object_types = dict[str, str](table.get("objecttype", []))
        self.receptacle_types = dict[str, str](table.get("receptacletype", []))
        self.can_contain = set(table.get("cancontain", []))

    def next_command(self) -> str:
        if self.held is None:
            return self.fetch()
        if _kind(self.held) != self.object_kind:
            return self.put(self.held, self.nearest(self.accepting(self.held), f"receptacle for {self.held}"))
        if self.treatment and self.held not in self.treated:
            appliance = self.nearest(self.receptacles(self.treatment.appliance.lower()), self.treatment.appliance)
            return self.go_to(appliance) or f"{self.treatment.verb} {self.held} with {appliance}"
        if self.task == "look_at_obj_in_light":
            return self.light()
        return self.put(self.held, self.goal_receptacle())

    def fetch(self) -> str:
        """Towards the next object to carry: treated ones first, then near ones, then those in the open."""
        done = {o for o, r in self.homes if r == self.goal_receptacle()} if self.task.startswith("pick_two") else set()
        homes = [(o, r) for o, r in self.homes if _kind(o) == self.object_kind and o not in done]
        if not homes:
            raise GoldError(f"there is no {self.object_kind} to take in the room")
        thing, home = min(homes, key=lambda x: (x[0] not in self.treated, *self.effort(x[1]), x))
        return self.go_to(home) or self.open(home) or f"take {thing} from {home}"

    def light(self) -> str:
        """Towards a lamp, a burning one first, to stand by it while it burns."""
        lamps = [(o, r) for o, r in self.homes if _kind(o) == self.target_kind]
        if not lamps:
            raise GoldError(f"there is no {self.target_kind} in the room")
        lamp, home = min(lamps, key=lambda x: (x[0] not in self.toggled, *self.effort(x[1]), x))
        return self.go_to(home) or f"use {lamp}"

    def put(self, thing: str, receptacle: str) -> str:
        """Towards putting down the held thing; both generations of the action grammar."""
        command = self.go_to(receptacle) or self.open(receptacle) or f"move {thing} to {receptacle}"
        if command.startswith("move ") and command not in self.admissible:
            return f"put {thing} in/on {receptacle}"
        return command

    def go_to(self, receptacle: str) -> str | None:
        return None if self.place[receptacle] in self.here else f"go to {receptacle}"

    def open(self, receptacle: str) -> str | None:
        return f"open {receptacle}" if receptacle in self.closed else None

    def receptacles(self, kind: str) -> list[str]:
        return [r for r in self.place if _kind(r) == kind]

    def accepting(self, thing: str) -> list[str]:
        kind = self.object_types[thing]
        return [r for r in self.place if (self.receptacle_types.get(r), kind) in self.can_contain]

    def effort(self, receptacle: str) -> tuple[bool, bool]:
        return self.place[receptacle] not in self.here, receptacle in self.closed

    def nearest(self, receptacles: list[str], wanted: str) -> str:
        if not receptacles:
            raise GoldError(f"there is no {wanted} in the room")
        return min(receptacles, key=lambda r: (*self.effort(r), r))

    def goal_receptacle(self) -> str:
        """Where to bring objects: for two of them the receptacle that has most already, else the nearest."""
        inside = dict.fromkeys(self.receptacles(self.target_kind), 0)
        if self.task == "pick_two_obj_and_place":
            for o, r in self.homes:
                if r in inside and _kind(o) == self.object_kind:
                    inside[r] += 1
        most = max(inside.values(), default=0)
        return self.nearest([r for r, count in inside.items() if count == most], self.target_kind)
