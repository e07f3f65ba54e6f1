"""Makes solvable rooms, by seed: draw walls and targets, play in reverse from the solution, start where it is hard."""

from __future__ import annotations

import random
from collections.abc import Iterator

from cornerman.seeds import generator
from cornerman_envs.light.grid import MOVES
from cornerman_envs.light.listing import part_of

from .rooms import Position, Room
from .search import distances

WALLS = {5: (0, 1), 6: (1, 3), 7: (3, 6)}
"""Fewest and most walls inside a room, by its size."""

FEWEST_MOVES = 4
HARDEST = 3
"""A start is drawn from the hardest third of a room's positions in which no box is on a target."""


def make_room(size: int, boxes: int, seed: int, part: str | None = None) -> tuple[Room, Position]:
    """The room of a seed and where it starts, of the part that is asked for; solvable in `FEWEST_MOVES` or more."""
    chance = generator("sokoban", size, boxes, seed)
    while True:
        room = _draw(size, boxes, chance)
        for start in _starts(room, chance):
            if part in (None, part_of(f"sokoban\n{room.draw(start)}")):
                return room, start


def _draw(size: int, boxes: int, chance: random.Random) -> Room:
    """Walls and targets; only cells that hang together are free."""
    inside = [row * size + column for row in range(1, size - 1) for column in range(1, size - 1)]
    walls = chance.sample(inside, chance.randint(*WALLS[size]))
    free = sorted(_connected(set(inside) - set(walls), size))
    return Room(size, frozenset(free), frozenset(chance.sample(free, boxes)))


def _connected(cells: set[int], size: int) -> set[int]:
    """The largest part of the cells that hangs together; the first one of several."""
    best: set[int] = set()
    for first in sorted(cells):
        part, waiting = {first}, [first]
        while waiting:
            here = waiting.pop()
            for rows, columns in MOVES.values():
                after = here + rows * size + columns
                if after in cells and after not in part:
                    part.add(after)
                    waiting.append(after)
        best = max(best, part, key=len)
    return best


def _starts(room: Room, chance: random.Random) -> Iterator[Position]:
    """Starts in random order."""
    found = distances(room)
    hard = [p for p, moves in found.items() if moves >= FEWEST_MOVES and not p.boxes & room.targets]
    hard.sort(key=lambda position: (-found[position], position.player, sorted(position.boxes)))
    hard = hard[: -(-len(hard) // HARDEST)]
    yield from chance.sample(hard, len(hard))
