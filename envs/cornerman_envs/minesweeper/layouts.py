"""Layouts of mines that give the counts which a board shows: all of them, or some drawn evenly.

Cells beside revealed ones fall into components that no count connects. Within a component the layouts are listed; over
components and the cells that no count speaks of they are only counted, by their numbers of mines, so that a layout can
be drawn without a list of all.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cornerman_envs.light.grid import around

Cells = frozenset[int]


class Seen(NamedTuple):
    """What a board shows: its size, how many mines it has, and the counts of its revealed cells."""

    size: int
    mines: int
    counts: Mapping[int, int]


def layouts(seen: Seen, number: int, chance: random.Random) -> list[Cells]:
    """All layouts that fit, or where there are more than `number`, so many drawn with replacement, each one once."""
    counted = _Counted(seen)
    if counted.ways(0, seen.mines) <= number:
        return list(counted.every(0, seen.mines))
    return list(dict.fromkeys(counted.draw(chance) for _ in range(number)))


class _Counted:
    """The layouts of each component by their number of mines, and how many ways there are to put them together."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        parts = _components(seen)
        hidden = set(range(seen.size**2)) - seen.counts.keys()
        self.groups = [_solutions(part, seen) for part in parts]
        self.rest = sorted(hidden.difference(*parts))
        self._ways = [[math.comb(len(self.rest), mines) for mines in range(seen.mines + 1)]]
        for group in reversed(self.groups):
            after = self._ways[0]
            sums = [
                sum(len(found) * after[mines - k] for k, found in group.items() if k <= mines)
                for mines in range(seen.mines + 1)
            ]
            self._ways.insert(0, sums)

    def ways(self, first: int, mines: int) -> int:
        """How many layouts of the components from `first` on, and of the rest, have so many mines."""
        return self._ways[first][mines] if mines >= 0 else 0

    def every(self, first: int, mines: int) -> Iterator[Cells]:
        """All of them."""
        if first == len(self.groups):
            yield from map(frozenset, itertools.combinations(self.rest, mines))
            return
        for k, found in self.groups[first].items():
            if self.ways(first + 1, mines - k):
                for one, others in itertools.product(found, list(self.every(first + 1, mines - k))):
                    yield one | others

    def draw(self, chance: random.Random) -> Cells:
        """One of them, each as likely as any other."""
        laid, mines = Cells(), self.seen.mines
        for first, group in enumerate(self.groups):
            weights = [len(found) * self.ways(first + 1, mines - k) for k, found in group.items()]
            k = chance.choices(list(group), weights)[0]
            laid |= chance.choice(group[k])
            mines -= k
        return laid.union(chance.sample(self.rest, mines))


def _components(seen: Seen) -> list[list[int]]:
    """The hidden cells beside revealed ones, grouped by the counts that speak of them; each in a connected order."""
    beside = {cell: [c for c in around(cell, seen.size) if c not in seen.counts] for cell in seen.counts}
    left = sorted({c for cells in beside.values() for c in cells})
    parts = []
    while left:
        part, waiting = [left[0]], [left[0]]
        while waiting:
            here = waiting.pop()
            near = [c for shown in around(here, seen.size) if shown in beside for c in beside[shown]]
            new = [c for c in dict.fromkeys(near) if c not in part]
            part += new
            waiting += new
        parts.append(part)
        left = [c for c in left if c not in part]
    return parts


def _solutions(part: list[int], seen: Seen) -> dict[int, list[Cells]]:
    """Every layout of a component that gives all counts beside it, by its number of mines."""
    speaking = {c: [s for s in around(c, seen.size) if s in seen.counts] for c in part}
    due = {s: seen.counts[s] for shown in speaking.values() for s in shown}
    open_ = {s: sum(s in shown for shown in speaking.values()) for s in due}
    found: dict[int, list[Cells]] = {}
    mines: list[int] = []

    def place(index: int) -> None:
        if index == len(part):
            found.setdefault(len(mines), []).append(frozenset(mines))
            return
        cell = part[index]
        for mine in (0, 1):
            for s in speaking[cell]:
                due[s] -= mine
                open_[s] -= 1
            if len(mines) + mine <= seen.mines and all(0 <= due[s] <= open_[s] for s in speaking[cell]):
                mines.extend([cell] * mine)
                place(index + 1)
                del mines[len(mines) - mine :]
            for s in speaking[cell]:
                due[s] += mine
                open_[s] += 1

    place(0)
    return found
