"""Makes solvable maps, by seed."""

from __future__ import annotations

import random
from collections import deque

import msgspec

from cornerman.seeds import generator
from cornerman_envs.light.grid import MOVES, neighbour
from cornerman_envs.light.listing import part_of


class Map(msgspec.Struct, frozen=True):
    """A square lake: where one starts, where one wants to go, and the holes."""

    size: int
    start: int
    goal: int
    holes: frozenset[int]

    def moved(self, cell: int, move: str) -> int:
        """The cell after a move; the edge of the lake stops it."""
        after = neighbour(cell, move, self.size)
        return cell if after is None else after

    def distance(self) -> int | None:
        """Moves from the start to the goal on ice that does not slip; None where there is no way."""
        distances, waiting = {self.start: 0}, deque([self.start])
        while waiting:
            cell = waiting.popleft()
            for move in MOVES:
                after = self.moved(cell, move)
                if after not in distances and after not in self.holes:
                    distances[after] = distances[cell] + 1
                    waiting.append(after)
        return distances.get(self.goal)

    @property
    def text(self) -> str:
        """The map in one line; equal for equal maps."""
        return f"frozenlake {self.size} {self.start} {self.goal} {sorted(self.holes)}"


def make_map(size: int, seed: int, part: str | None = None) -> Map:
    """The map of a seed: a fifth to a third of the cells are holes, and the way is at least `size - 1` moves long.

    Maps are drawn until one is solvable, long enough, and of the part that is asked for.
    """
    chance = generator("frozenlake", size, seed)
    while True:
        drawn = _draw(size, chance)
        distance = drawn.distance()
        if distance is not None and distance >= size - 1 and part in (None, part_of(drawn.text)):
            return drawn


def _draw(size: int, chance: random.Random) -> Map:
    cells = size * size
    start, goal, *others = chance.sample(range(cells), cells)
    return Map(size, start, goal, frozenset(others[: chance.randint(cells // 5, cells // 3)]))
