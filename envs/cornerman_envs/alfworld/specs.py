"""Which games can be made, and their three splits.

A candidate is a scene, a task type, a kind of object and a target (a kind of receptacle, or of lamp). Scenes of
`UNSEEN_SCENES` belong to the split `unseen`. In the other scenes, a hash of the candidate puts one in eight into
`seen` and the rest into `train`. So no task of one split is a task of another, whatever the seed, and `seen` plays in
rooms that `train` knows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from cornerman.errors import UsageError, did_you_mean
from cornerman_envs.alfworld.scenes import ROOMS, Scene, Shipped, load_shipped
from cornerman_envs.alfworld.tasks import TASK_TYPES, TREATMENTS, TaskParams

PER_TYPE = {"train": 1000, "seen": 40, "unseen": 40}
"""Games of each task type by split: 6,000, 240 and 240 in all."""

SPLITS = tuple(PER_TYPE)

UNSEEN_SCENES = frozenset({9, 10, 29, 215, 219, 226, 308, 315, 325, 404, 424, 425})
"""Three of the thirty rooms of each kind."""

LAMP = "DeskLamp"
"""The lamp of `look_at_obj_in_light`. Floor lamps stand in no receptacle, which the goal asks for."""


@dataclass(frozen=True)
class GameSpec:
    """Everything that determines a generated game."""

    scene: int
    task_type: str
    object: str
    """Kind of the target object."""
    target: str
    """Kind of the receptacle to put it into, or of the lamp."""
    seed: int = 0
    """Where things lie and how the task is worded."""

    @property
    def id(self) -> str:
        """As official games are named: task, object, movable receptacle, target, scene; then the seed."""
        return f"{self.task_type}-{self.object}-None-{self.target}-{self.scene}/seed-{self.seed}"

    @property
    def params(self) -> TaskParams:
        if self.task_type == "look_at_obj_in_light":
            return TaskParams(self.task_type, self.object, toggle_target=self.target)
        return TaskParams(self.task_type, self.object, parent_target=self.target)


def candidates(shipped: Shipped, scene: Scene, task_type: str) -> list[tuple[str, str]]:
    """Kinds of object and target that make a solvable task there, sorted.

    The object fits into the target and into some other receptacle, where it can lie at the start. The target is never
    the appliance that treats the object.
    """
    treatment = TREATMENTS.get(task_type)
    if treatment and treatment.appliance not in scene.kinds:
        return []
    found: list[tuple[str, str]] = []
    for thing in scene.objects:
        if thing in shipped.affords["Toggleable"]:
            continue
        homes = sorted(kind for kind in scene.kinds if thing in shipped.holds[kind])
        if task_type == "look_at_obj_in_light":
            found += [(thing, LAMP)] if scene.has_desk_lamp and lamp_places(scene) else []
        elif len(homes) > 1 and (not treatment or thing in shipped.affords[treatment.affordance]):
            found += [(thing, home) for home in homes if not treatment or home != treatment.appliance]
    return found


def lamp_places(scene: Scene) -> list[str]:
    """Ids of the receptacles that a desk lamp may stand on, as in official games."""
    kinds = {"CoffeeTable", "Desk", "Dresser", "Shelf", "SideTable"}
    return [r.id for r in scene.receptacles if r.kind in kinds]


def make_spec(asset: Path, scene: int, task_type: str, seed: int) -> GameSpec:
    """The game that a scene, a task type and a seed stand for.

    Raises:
        UsageError: there is no such scene or task type, or no such task in the scene.
    """
    shipped = load_shipped(asset)
    if scene not in shipped.scenes:
        rooms = ", ".join(f"{numbers[0]}-{numbers[-1]} ({kind}s)" for kind, numbers in ROOMS.items())
        raise UsageError(f"no scene {scene}; scenes are {rooms}")
    if task_type not in TASK_TYPES:
        raise UsageError(f"no task type {task_type!r}; {did_you_mean(task_type, TASK_TYPES)}")
    options = candidates(shipped, shipped.scenes[scene], task_type)
    if not options:
        raise UsageError(f"scene {scene} has no task of type {task_type}")
    thing, target = options[_hash(f"{scene}/{task_type}/{seed}") % len(options)]
    return GameSpec(scene, task_type, thing, target, seed)


def split_of(spec: GameSpec) -> str:
    """The split that a game belongs to, whatever its seed."""
    if spec.scene in UNSEEN_SCENES:
        return "unseen"
    key = f"{spec.scene}/{spec.task_type}/{spec.object}/{spec.target}"
    return "seen" if _hash(key) % 8 == 0 else "train"


def enumerate_specs(asset: Path, split: str) -> list[GameSpec]:
    """The games of a split, in a fixed shuffled order that deals the six task types in turn.

    So any beginning of the list is mixed evenly. Each task type has `PER_TYPE[split]` games; where there are fewer
    candidates than that, they come again with the seeds 1, 2, ….

    Raises:
        UsageError: there is no such split.
    """
    if split not in SPLITS:
        raise UsageError(f"no split {split!r}; {did_you_mean(split, SPLITS)}")
    by_type: dict[str, list[GameSpec]] = {task_type: [] for task_type in TASK_TYPES}
    for spec in _all_specs(load_shipped(asset)):
        if split_of(spec) == split:
            by_type[spec.task_type].append(spec)
    for specs in by_type.values():
        specs.sort(key=lambda spec: (_hash(f"order of {spec.id}"), spec.id))
    dealt = zip(*(_with_seeds(specs, PER_TYPE[split]) for specs in by_type.values()), strict=True)
    return [spec for round_ in dealt for spec in round_]


def _with_seeds(specs: list[GameSpec], wanted: int) -> list[GameSpec]:
    return [replace(specs[i % len(specs)], seed=i // len(specs)) for i in range(wanted)]


def _all_specs(shipped: Shipped) -> Iterator[GameSpec]:
    for scene in shipped.scenes.values():
        for task_type in TASK_TYPES:
            for thing, target in candidates(shipped, scene, task_type):
                yield GameSpec(scene.number, task_type, thing, target)


def _hash(text: str) -> int:
    """A number that, unlike `hash`, is the same in every process."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
