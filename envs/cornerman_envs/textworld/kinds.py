"""The four kinds of games and the settings of each: what textworld's own challenges can vary, checked and named.

Coin Collector: Yuan et al. 2018, arXiv:1806.11525. Treasure Hunter: after Parisotto & Salakhutdinov 2017,
arXiv:1702.08360. Cooking: the games of the First TextWorld Problems competition, https://aka.ms/ftwp.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from cornerman.errors import UsageError, did_you_mean

Instructions = Literal["last", "all"]
"""Whether the goal names only the last action of the quest or every action of it, one after the other."""

MAX_ROOMS = 100
"""Most rooms of a Coin Collector game that textworld 1.7 compiles."""


class Simple(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A house of six rooms: leave the locked bedroom, find one food, put it on the stove.

    `rewards`: whether points are given for all steps on the way, the main ones, or the end alone. `goal`: whether the
    goal names every step ("detailed") or only what is wanted ("brief"). `test`: foods that no other game wants.
    """

    rewards: Literal["dense", "balanced", "sparse"] = "balanced"
    goal: Literal["detailed", "brief"] = "brief"
    test: bool = False


class CoinCollector(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chain of rooms with a coin at its far end.

    `level` modulo 100 is the length of the chain; from 101 on every room of it has one dead end, from 201 on two.
    """

    level: Annotated[int, Meta(ge=1, le=300)] = 5
    instructions: Instructions = "last"

    def __post_init__(self) -> None:
        if self.rooms > MAX_ROOMS:
            raise ValueError(f"level {self.level} has {self.rooms} rooms; at most {MAX_ROOMS} can be compiled")

    @property
    def rooms(self) -> int:
        """Number of rooms, dead ends included."""
        dead_ends, length = divmod(self.level - 1, 100)
        return (dead_ends + 1) * (length + 1)


class TreasureHunter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A maze with two objects: take the one that the goal names; taking the other one loses.

    `level` 1 to 10: five rooms without doors; 11 to 20: ten rooms, closed doors and containers; 21 to 30: twenty
    rooms, locked ones too. Within each ten the quest grows longer.
    """

    level: Annotated[int, Meta(ge=1, le=30)] = 5
    instructions: Instructions = "last"


class Cooking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Find the cookbook, fetch and process the ingredients of its recipe, prepare the meal and eat it.

    `recipe`: number of ingredients, of which `take` must be fetched. `cook`, `cut`, `open`: whether food must be
    cooked, cut, and doors and containers be opened. `go`: number of rooms. `split` draws foods and preparations from
    one of three sets of which the test and valid ones hold foods that train never shows; None from their union.
    textworld's limited inventory ("drop") is left out: its planner cannot solve those games.
    """

    recipe: Annotated[int, Meta(ge=1, le=5)] = 1
    take: Annotated[int, Meta(ge=0, le=5)] = 1
    go: Literal[1, 6, 9, 12] = 1
    open: bool = False
    cook: bool = False
    cut: bool = False
    split: Literal["train", "valid", "test"] | None = None

    def __post_init__(self) -> None:
        if self.take > self.recipe:
            raise ValueError(f"take = {self.take} exceeds recipe = {self.recipe}; not more than all can be fetched")


Settings = Simple | CoinCollector | TreasureHunter | Cooking


@dataclass(frozen=True)
class Kind:
    """One kind of game: environment id, textworld's name of its challenge, and the type of its settings."""

    id: str
    challenge: str
    settings: type[Settings]

    def parse(self, settings: Mapping[str, Any]) -> Settings:
        """Checked settings, defaults filled in. Raises UsageError with a sentence that names the wrong one."""
        known = self.settings.__struct_fields__
        for name in settings:
            if name not in known:
                raise UsageError(f"{self.id} has no setting '{name}'; {did_you_mean(name, known)}")
        try:
            return msgspec.convert(dict(settings), self.settings)
        except msgspec.ValidationError as error:
            raise UsageError(f"wrong setting of {self.id}: {error}") from None


KINDS: dict[str, Kind] = {
    kind.id: kind
    for kind in (
        Kind("cornerman/TextWorldSimple-v1", "tw-simple", Simple),
        Kind("cornerman/TextWorldCoinCollector-v1", "tw-coin_collector", CoinCollector),
        Kind("cornerman/TextWorldTreasureHunter-v1", "tw-treasure_hunter", TreasureHunter),
        Kind("cornerman/TextWorldCooking-v1", "tw-cooking", Cooking),
    )
}
"""The kinds by environment id."""


def kind_of(environment: str) -> Kind:
    """The kind of that environment id. Raises UsageError with the nearest known ids."""
    try:
        return KINDS[environment]
    except KeyError:
        raise UsageError(f"no TextWorld environment '{environment}'; {did_you_mean(environment, KINDS)}") from None
