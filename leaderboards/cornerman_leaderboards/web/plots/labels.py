"""Places for labels beside points, so that they cover neither each other nor the points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEIGHT = 14.0
"""Of a label's line."""
GAP = 8.0


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """The area that two rectangles share."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, across) * max(0.0, down)

    def within(self, other: Box) -> bool:
        """Whether it lies inside another one."""
        inside = self.left >= other.left and self.right <= other.right
        return inside and self.top >= other.top and self.bottom <= other.bottom


@dataclass(frozen=True)
class Placed:
    """Where a label stands: its left end, its middle line, whether its right end is that at its point, and whether a
    line must lead there.
    """

    left: float
    y: float
    width: float
    before: bool
    leader: bool

    @property
    def end(self) -> float:
        """The end at its point."""
        return self.left + self.width if self.before else self.left

    @property
    def box(self) -> Box:
        """What it covers."""
        return Box(self.left, self.y - HEIGHT / 2, self.left + self.width, self.y + HEIGHT / 2)


def place(spots: Sequence[tuple[float, float, float]], area: Box, others: Sequence[Box] = ()) -> list[Placed | None]:
    """A place for every (x, y, width), the first ones first: beside its point, else farther off; None where none is.

    others: what else labels may not cover.
    """
    points = [*others, *(Box(x - 5, y - 5, x + 5, y + 5) for x, y, _ in spots)]
    found: list[Placed | None] = []
    for x, y, width in spots:
        taken = [*points, *(p.box for p in found if p is not None)]
        fits = (p for p in choices(x, y, width) if p.box.within(area) and not any(map(p.box.overlap, taken)))
        found.append(next(fits, None))
    return found


def choices(x: float, y: float, width: float) -> list[Placed]:
    """Where a label may stand, best first: right, left, above, below, then shifted with a line to its point."""
    right, left = x + GAP, x - GAP - width
    near = [Placed(right, y, width, False, False), Placed(left, y, width, True, False)]
    near += [Placed(x - 4, y + shift, width, False, False) for shift in (-HEIGHT, HEIGHT)]
    near += [Placed(x + 4 - width, y + shift, width, True, False) for shift in (-HEIGHT, HEIGHT)]
    far = [
        Placed(right + 6 if after else left - 6, y + shift, width, not after, True)
        for distance in range(1, 9)
        for shift in (-distance * HEIGHT, distance * HEIGHT)
        for after in (True, False)
    ]
    return near + far
