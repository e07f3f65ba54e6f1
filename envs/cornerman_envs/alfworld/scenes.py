"""What the alfworld wheel ships for making games: domain, grammar, goals, and the layouts of 120 rooms.

The wheel is an asset, unpacked in some folder and never imported. A layout knows where an agent stands to use each
large receptacle of a room, and which kinds of things the room has.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cornerman.errors import UsageError
from cornerman_envs.alfworld.literals import read_literals

ROOMS = {
    "kitchen": range(1, 31),
    "living room": range(201, 231),
    "bedroom": range(301, 331),
    "bathroom": range(401, 431),
}
"""AI2-THOR's floor plan numbers by kind of room."""

OPENABLE = frozenset({"Cabinet", "Drawer", "Fridge", "Microwave", "Safe"})
"""Receptacles that official games close."""

_BASINS = {"Sink": "SinkBasin", "Bathtub": "BathtubBasin"}
"""Things whose inside is a receptacle of its own; layouts name the things, games the insides."""

_UNPLACED = (
    "BathtubBasin", "Cart", "CoffeeMachine", "GarbageCan", "HandTowelHolder", "LaundryHamper", "Safe", "StoveBurner",
    "Toaster", "Toilet", "ToiletPaperHanger", "TowelHolder",
)  # fmt: skip
"""Receptacles that a room may have without the layout saying where; they get a place of their own."""

_COPIES = {"StoveBurner": 4, "HandTowelHolder": 2}


@dataclass(frozen=True)
class Receptacle:
    id: str
    """As in AI2-THOR: kind and coordinates, `Fridge|-01.50|+00.00|-00.70`."""
    kind: str
    location: str
    """Where one stands to use it: `loc|x|z|rotation|horizon`, x and z in steps of 0.25 m, rotation in quarter turns,
    horizon in degrees."""


@dataclass(frozen=True)
class Scene:
    number: int
    receptacles: tuple[Receptacle, ...]
    """Sorted by id."""
    objects: tuple[str, ...]
    """Kinds of movable things in the room that fit into some receptacle there; sorted."""
    has_desk_lamp: bool

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of receptacles in the room."""
        return frozenset(r.kind for r in self.receptacles)


@dataclass(frozen=True)
class Shipped:
    """The wheel's data. `holds` and `affords` are alfworld's tables of what fits where and what can be done to what."""

    domain: str
    grammar: str
    goals: dict[str, str]
    """Goal formulas by task type, with `{obj}`, `{recep}` and `{toggle}` open."""
    wordings: dict[str, tuple[str, ...]]
    """How a task may be put, by task type; same open places."""
    holds: dict[str, frozenset[str]]
    """Kinds of objects by kind of receptacle."""
    affords: dict[str, frozenset[str]]
    """Kinds of objects by Cleanable, Heatable, Coolable, Sliceable and Toggleable."""
    object_kinds: tuple[str, ...]
    receptacle_kinds: tuple[str, ...]
    containers: frozenset[str]
    """Movable things that hold things: bowls, mugs, …"""
    scenes: dict[int, Scene]


@lru_cache(maxsize=2)
def load_shipped(asset: Path) -> Shipped:
    """Read the unpacked wheel.

    Args:
        asset: the folder that holds the wheel's `alfworld` folder.

    Raises:
        UsageError: the folder holds no unpacked alfworld wheel.
    """
    package = asset / "alfworld"
    if not (package / "gen" / "layouts").is_dir():
        raise UsageError(f"{asset} holds no unpacked alfworld wheel (no alfworld/gen/layouts)")
    names = ("OBJECTS", "MOVABLE_RECEPTACLES", "RECEPTACLES", "VAL_RECEPTACLE_OBJECTS", "VAL_ACTION_OBJECTS")
    constants = read_literals(package / "gen" / "constants.py", names)
    goals = read_literals(package / "gen" / "goal_library.py", ["gdict"])["gdict"]
    containers = frozenset(constants["MOVABLE_RECEPTACLES"])
    large = frozenset(constants["RECEPTACLES"]) - containers
    holds = {kind: frozenset(inside) for kind, inside in constants["VAL_RECEPTACLE_OBJECTS"].items() if kind in large}
    small = frozenset(constants["OBJECTS"]) - large
    scenes = [_scene(package / "gen" / "layouts", n, holds, small) for numbers in ROOMS.values() for n in numbers]
    return Shipped(
        domain=(package / "data" / "alfred.pddl").read_text(encoding="utf-8"),
        grammar=(package / "data" / "alfred.twl2").read_text(encoding="utf-8"),
        goals={name: goal["pddl"] for name, goal in goals.items()},
        wordings={name: tuple(goal["templates"]) for name, goal in goals.items()},
        holds=holds,
        affords={name: frozenset(kinds) for name, kinds in constants["VAL_ACTION_OBJECTS"].items()},
        object_kinds=tuple(sorted(small)),
        receptacle_kinds=tuple(sorted(large)),
        containers=containers,
        scenes={scene.number: scene for scene in scenes},
    )


def _scene(layouts: Path, number: int, holds: dict[str, frozenset[str]], small: frozenset[str]) -> Scene:
    kinds = set(json.loads((layouts / f"FloorPlan{number}-objects.json").read_text(encoding="utf-8")))
    placed = json.loads((layouts / f"FloorPlan{number}-openable.json").read_text(encoding="utf-8"))
    receptacles: dict[str, Receptacle] = {}
    for name, (x, z, rotation, horizon) in placed.items():
        kind = name.split("|")[0]
        location = f"loc|{round(x / 0.25)}|{round(z / 0.25)}|{rotation // 90}|{horizon}"
        if kind in _BASINS:
            kind = _BASINS[kind]
            name = f"{name}|{kind}"
        if kind in holds:
            receptacles[name] = Receptacle(name, kind, location)
    present = {r.kind for r in receptacles.values()}
    rng = random.Random(f"scene {number}")
    missing = [k for k in _UNPLACED if k in kinds and k not in present for _ in range(_COPIES.get(k, 1))]
    for i, kind in enumerate(missing):
        name = f"{kind}|{coordinates(rng)}"
        receptacles[name] = Receptacle(name, kind, f"loc|{100 + i}|0|0|30")
    homes = {r.kind for r in receptacles.values()}
    fitting = sorted(kind for kind in kinds & small if any(kind in holds[home] for home in homes))
    ordered = tuple(receptacles[name] for name in sorted(receptacles))
    return Scene(number, ordered, tuple(fitting), "DeskLamp" in kinds)


def coordinates(rng: random.Random) -> str:
    """Made-up coordinates as AI2-THOR writes them in ids, `+01.25|+00.90|-02.40` (metres)."""
    values = (rng.uniform(-3, 3), rng.uniform(0.1, 2), rng.uniform(-3, 3))
    return "|".join(f"{'-' if v < 0 else '+'}{abs(v):05.2f}" for v in values)
