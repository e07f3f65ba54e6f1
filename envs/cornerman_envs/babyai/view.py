"""What the agent sees, from where it stands, and how that is said."""

from __future__ import annotations

import functools
from collections import deque
from typing import Any, NamedTuple

from .world import STATUS, Move, World

FACES = ("east", "south", "west", "north")


class Spot(NamedTuple):
    """A cell as seen by the agent: steps ahead (never negative) and to the right (negative: to the left)."""

    ahead: int
    right: int

    def beside(self, way: int) -> Spot:
        """The cell next to it: 0 ahead, 1 to the right, 2 back, 3 to the left."""
        return Spot(self.ahead + (1, 0, -1, 0)[way], self.right + (0, 1, 0, -1)[way])

    def touches(self, other: Spot) -> bool:
        """Whether they share an edge."""
        return abs(self.ahead - other.ahead) + abs(self.right - other.right) == 1

    def __str__(self) -> str:
        side = f"{abs(self.right)} to the {'right' if self.right > 0 else 'left'}"
        return f"{self.ahead} ahead" if not self.right else side if not self.ahead else f"{self.ahead} ahead, {side}"


class Pose(NamedTuple):
    """A spot, and where one looks from there: 0 as the agent does now, 1 to its right, 2 back, 3 to its left."""

    spot: Spot
    way: int

    @property
    def front(self) -> Spot:
        """The cell in front."""
        return self.spot.beside(self.way)


class Thing(NamedTuple):
    """What a thing looks like; doors have a `status`."""

    colour: str
    kind: str
    status: str = ""

    def __str__(self) -> str:
        return " ".join(word for word in (self.colour, self.status, self.kind) if word)


class Seen(NamedTuple):
    """A thing in view, and which one of those that look like it this is, the nearest being 1."""

    thing: Thing
    number: int
    spot: Spot

    def __str__(self) -> str:
        return f"{self.thing} {self.number}"


HERE = Pose(Spot(0, 0), 0)


class View:
    """The field of view of a world's present state: seven by seven cells, the agent in the middle of the near edge.

    `seen` holds the things, nearest first; `free` the visible cells that one can walk on, the agent's own included;
    `empty` those of them where something can be put down; `walls` the visible walls.
    """

    def __init__(self, world: World) -> None:
        level = world.level
        grid, visible = level.gen_obs_grid()
        size, under = level.agent_view_size, level.grid.get(*level.agent_pos)
        self.facing = FACES[int(level.agent_dir)]
        self.carried = None if level.carrying is None else looks(level.carrying)
        self.walls: set[Spot] = set()
        self.empty: set[Spot] = set() if under else {HERE.spot}
        self.free: set[Spot] = {HERE.spot}
        things: list[tuple[Spot, Thing]] = []
        for column in range(size):
            for row in range(size):
                spot, cell = Spot(size - 1 - row, column - size // 2), grid.get(column, row)
                if spot == HERE.spot or not visible[column, row]:
                    continue
                if cell is None:
                    self.empty.add(spot)
                elif cell.type == "wall":
                    self.walls.add(spot)
                else:
                    things.append((spot, looks(cell)))
                if cell is None or cell.can_overlap():
                    self.free.add(spot)
        self.seen: list[Seen] = []
        numbers: dict[Thing, int] = {}
        for spot, thing in sorted(things, key=lambda found: _nearness(found[0])):
            numbers[thing] = numbers.get(thing, 0) + 1
            self.seen.append(Seen(thing, numbers[thing], spot))

    @functools.cached_property
    def ways(self) -> dict[Pose, list[Move]]:
        """The fewest moves to every pose that can be reached over free cells in view, nearest first."""
        found: dict[Pose, list[Move]] = {HERE: []}
        waiting = deque([HERE])
        while waiting:
            pose = waiting.popleft()
            nexts: list[tuple[Move, Pose]] = [
                ("forward", Pose(pose.front, pose.way)),
                ("left", Pose(pose.spot, (pose.way + 3) % 4)),
                ("right", Pose(pose.spot, (pose.way + 1) % 4)),
            ]
            for move, after in nexts:
                if after not in found and after.spot in self.free:
                    found[after] = [*found[pose], move]
                    waiting.append(after)
        return found

    @functools.cached_property
    def fronts(self) -> dict[Spot, list[Move]]:
        """The fewest moves to face each cell that can be faced."""
        found: dict[Spot, list[Move]] = {}
        for pose, moves in self.ways.items():
            found.setdefault(pose.front, moves)
        return found

    def at(self, spot: Spot) -> Seen | None:
        """The thing in a cell."""
        return next((seen for seen in self.seen if seen.spot == spot), None)

    def run(self, way: int) -> int:
        """How many cells in a row are free, that way."""
        steps, spot = 0, HERE.spot.beside(way)
        while spot in self.free:
            steps, spot = steps + 1, spot.beside(way)
        return steps

    def words(self) -> str:
        """The view in words."""
        hands = "nothing" if self.carried is None else f"a {self.carried}"
        rows = [f"{where}: {self._stretch(way)}." for where, way in (("Ahead", 0), ("Left", 3), ("Right", 1))]
        things = [f"- {seen}: {seen.spot}" for seen in self.seen] or ["- nothing but walls and floor"]
        return "\n".join([f"You face {self.facing} and carry {hands}.", " ".join(rows), "You see:", *things])

    def _stretch(self, way: int) -> str:
        steps, spot = self.run(way), HERE.spot
        for _ in range(steps + 1):
            spot = spot.beside(way)
        blocking = self.at(spot)
        then = f"then {blocking}" if blocking else "then a wall" if spot in self.walls else "then out of sight"
        return f"{steps} free step{'' if steps == 1 else 's'}, {then}"


def looks(thing: Any) -> Thing:
    """What one of minigrid's things looks like."""
    if thing.type == "door":
        return Thing(thing.color, thing.type, STATUS[0 if thing.is_open else 2 if thing.is_locked else 1])
    return Thing(thing.color, thing.type)


def _nearness(spot: Spot) -> tuple[int, int, int]:
    return spot.ahead + abs(spot.right), -spot.ahead, spot.right
