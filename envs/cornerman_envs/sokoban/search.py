"""Breadth-first search over positions, forwards to a solution and backwards from all solved positions.

Both are exhaustive. The largest room, 7 by 7 with two boxes, has 25 free cells and so at most 25 · C(24, 2) = 6,900
positions: that is the bound of a search.
"""

from __future__ import annotations

from collections import deque

from cornerman_envs.light.grid import MOVES

from .rooms import Position, Room


def solve(room: Room, start: Position) -> list[str] | None:
    """The fewest moves that solve the room from a position; None where none do."""
    if room.solved(start):
        return []
    reached: dict[Position, tuple[Position, str]] = {}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for move in MOVES:
            after = room.moved(here, move)
            if after is None or after == start or after in reached:
                continue
            reached[after] = here, move
            if room.solved(after):
                return _path(reached, start, after)
            waiting.append(after)
    return None


def _path(reached: dict[Position, tuple[Position, str]], start: Position, here: Position) -> list[str]:
    moves = []
    while here != start:
        here, move = reached[here]
        moves.append(move)
    return moves[::-1]


def distances(room: Room) -> dict[Position, int]:
    """The fewest moves to a solution, for every position that has one: reverse play from all solved positions."""
    boxes = room.targets
    found = {Position(player, boxes): 0 for player in sorted(room.free - boxes)}
    waiting = deque(found)
    while waiting:
        here = waiting.popleft()
        for move in MOVES:
            for before in room.came_from(here, move):
                if before not in found:
                    found[before] = found[here] + 1
                    waiting.append(before)
    return found
