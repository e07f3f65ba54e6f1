"""Which moments are forked: a draw with known probabilities that looks at no outcome.

Moments are clustered in tasks, so the draw spreads over tasks: every task gives as many moments as every other, as far
as it has them, and within a task each is as likely as the next. Draws are nested: a larger one with the same seed holds
the smaller one, so that forks already played are played on and not again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cornerman.seeds import derive
from cornerman.worth.places import Place


class Drawn(NamedTuple):
    """A moment with the probability with which it came into the draw."""

    place: Place
    probability: float


def draw(places: Sequence[Place], number: int, seed: int) -> list[Drawn]:
    """About evenly over tasks, `number` moments, or all where there are no more.

    With M_t moments in task t, m = the largest number for which Σ min(m, M_t) ≤ `number`, and r moments left over: task
    t gives min(m, M_t), and r of the tasks with more than m, drawn evenly, one more. So a moment's probability is
    (min(m, M_t) + p) / M_t, with p = r over the number of those tasks where M_t > m, else 0. Which ones are taken
    follows from the hash of their place.
    """
    by_task: dict[str, list[Place]] = {}
    for place in places:
        by_task.setdefault(place.task, []).append(place)
    for task in by_task:
        by_task[task].sort(key=lambda p: derive(seed, "moment", *key(p)))
    order = sorted(by_task, key=lambda task: derive(seed, "task", task))
    sizes = {task: len(found) for task, found in by_task.items()}
    base = 0
    while base < max(sizes.values(), default=0) and sum(min(base + 1, m) for m in sizes.values()) <= number:
        base += 1
    longer = [task for task in order if sizes[task] > base]
    left = min(number - sum(min(base, m) for m in sizes.values()), len(longer))
    more = set(longer[:left])
    drawn = []
    for task in order:
        sure = min(base, sizes[task])
        chance = left / len(longer) if sizes[task] > base else 0.0
        taken = by_task[task][: sure + (task in more)]
        drawn += [Drawn(place, (sure + chance) / sizes[task]) for place in taken]
    return drawn


def key(place: Place) -> tuple[str, int, int, int, str, str]:
    """What tells a moment from all others of its run and method."""
    return (place.task, place.trial, place.attempt, place.turn, place.critic, place.moment)
