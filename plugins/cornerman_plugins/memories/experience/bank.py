"""What all memories of experience share: retrieval at the opening, credit by outcome, and pruning.

An entry is words with a family, a count of uses, and in `data` how many of the episodes that it was shown in succeeded
(`wins`). Its standing is (wins + 1) / (uses + 2), the rule of succession: EvolveR's s(p) (arXiv 2510.16079).
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec

from cornerman import ContextItem, MemoryOp, hookimpl
from cornerman.engine.context import MemoryItem
from cornerman.engine.view import View
from cornerman.records import Episode, Record
from cornerman_plugins.memories.experience.likeness import likeness


class Lesson(NamedTuple):
    """Words to remember, what a memory wants to keep beside them, and the id of the entry whose place they take."""

    text: str
    data: dict[str, Any] = {}
    replaces: str | None = None


def standing(item: MemoryItem, uses: int = 0, wins: int = 0) -> float:
    """(wins + 1) / (uses + 2), with what an episode adds to both."""
    return (wins_of(item) + wins + 1) / (item.uses + uses + 2)


def wins_of(item: MemoryItem) -> int:
    """In how many episodes that succeeded the entry was shown; a file could claim anything, but no more than uses."""
    wins = item.data.get("wins", 0)
    return min(max(wins, 0), item.uses) if isinstance(wins, int) else 0


def shown_in(episode: Episode) -> list[str]:
    """Ids of the entries that stood in the actor's context, each once."""
    return list(dict.fromkeys(e for a in episode.attempts for c in a.context for e in c.experience))


class Keep(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a bank keeps.

    capacity: how many entries; those of the lowest standing go first, of equals the oldest. floor: an entry that was
    shown `enough` times and stands below it goes. alike: a new lesson this like an old one is not added.
    """

    capacity: Annotated[int, msgspec.Meta(ge=1)] = 100
    floor: float = 0.0
    enough: Annotated[int, msgspec.Meta(ge=1)] = 5
    alike: float = 0.9


class Bank(abc.ABC):
    """Entries that are retrieved, credited, added and pruned.

    k: how many are told at an attempt's opening. keep: which are kept.

    It learns whether episodes succeeded, after they are over, and so counts as privileged.
    """

    sees: tuple[str, ...] = ("attempts", "score")

    def __init__(self, k: int, keep: Keep) -> None:
        if k < 1:
            raise ValueError(f"k counts entries, at least 1, not {k}")
        self.k, self.keep = k, keep

    @abc.abstractmethod
    async def learn(self, view: View, episode: Episode) -> Sequence[Lesson]:
        """The lessons of an episode."""

    async def retrieve(self, view: View) -> Sequence[MemoryItem]:
        """The entries to tell at the opening: the most alike to the task, the better standing among equals."""
        return self.ranked(view.memory, f"{view.family} {view.goal}")[: self.k]

    def ranked(self, items: Iterable[MemoryItem], text: str) -> list[MemoryItem]:
        """Entries by likeness to a text (their own family counts with their words), then by standing."""
        return sorted(items, key=lambda i: (likeness(f"{i.family} {i.text}", text), standing(i)), reverse=True)

    @hookimpl
    async def transform_observation(self, view: View, observation: str) -> list[ContextItem] | None:
        """The words of what is retrieved, at an attempt's opening."""
        if view.turn or not view.memory:
            return None
        return [told(item) for item in await self.retrieve(view)]

    @hookimpl
    async def on_task_end(self, view: View, episode: Episode) -> list[MemoryOp]:
        """Credit for what was shown, the new lessons, and what has to go for them."""
        shown, won = set(shown_in(episode)), int(episode.success)
        credit = [MemoryOp(op="use", id=i.id, data={"wins": wins_of(i) + won}) for i in view.memory if i.id in shown]
        stands = {i.id: standing(i, i.id in shown, won * (i.id in shown)) for i in view.memory}
        uses = {i.id: i.uses + (i.id in shown) for i in view.memory}
        leaving = [i for i in stands if uses[i] >= self.keep.enough and stands[i] < self.keep.floor]
        lessons = await self.learn(view, episode)
        leaving += [n.replaces for n in lessons if n.replaces in stands and n.replaces not in leaving]
        kept = [i for i in view.memory if i.id not in leaving]
        new: list[Lesson] = []
        for lesson in lessons:
            known = [*(i.text for i in kept), *(n.text for n in new)]
            if lesson.text.strip() and all(likeness(lesson.text, text) < self.keep.alike for text in known):
                new.append(lesson)
        new = new[: self.keep.capacity]
        surplus = max(0, len(kept) + len(new) - self.keep.capacity)
        gone = [*leaving, *sorted((i.id for i in kept), key=stands.__getitem__)[:surplus]]
        rng = view.rng()  # ids say nothing of the task
        return [
            *credit,
            *(MemoryOp(op="remove", id=i) for i in gone),
            *(added(n, f"{rng.getrandbits(64):016x}", view.family) for n in new),
        ]


def added(lesson: Lesson, ident: str, family: str) -> MemoryOp:
    """The operation that adds a lesson."""
    return MemoryOp(op="add", id=ident, text=lesson.text.strip(), family=family, data=lesson.data)


def told(item: MemoryItem) -> ContextItem:
    """An entry as words in the actor's context."""
    return ContextItem(text=item.text, placement="system", role="experience", experience=(item.id,))
