"""The thirty types of tasks, their variations and splits, and the simplifications, as the package has them."""

from __future__ import annotations

from cornerman.errors import UsageError, did_you_mean

VARIATIONS: dict[str, int] = {
    "boil": 30,
    "change-the-state-of-matter-of": 30,
    "chemistry-mix": 32,
    "chemistry-mix-paint-secondary-color": 36,
    "chemistry-mix-paint-tertiary-color": 36,
    "find-animal": 300,
    "find-living-thing": 300,
    "find-non-living-thing": 300,
    "find-plant": 300,
    "freeze": 30,
    "grow-fruit": 126,
    "grow-plant": 126,
    "identify-life-stages-1": 14,
    "identify-life-stages-2": 10,
    "inclined-plane-determine-angle": 168,
    "inclined-plane-friction-named-surfaces": 1386,
    "inclined-plane-friction-unnamed-surfaces": 162,
    "lifespan-longest-lived": 125,
    "lifespan-longest-lived-then-shortest-lived": 125,
    "lifespan-shortest-lived": 125,
    "measure-melting-point-known-substance": 436,
    "measure-melting-point-unknown-substance": 300,
    "melt": 30,
    "mendelian-genetics-known-plant": 120,
    "mendelian-genetics-unknown-plant": 480,
    "power-component": 20,
    "power-component-renewable-vs-nonrenewable-energy": 20,
    "test-conductivity": 900,
    "test-conductivity-of-unknown-substances": 600,
    "use-thermometer": 540,
}
"""Number of variations by type: 7,207 in all."""

SPLITS = ("train", "dev", "test")

SIMPLIFICATIONS = (
    "easy",
    "teleportAction",
    "openContainers",
    "openDoors",
    "selfWateringFlowerPots",
    "noElectricalAction",
)
"""What a task may be made easier by. `easy` stands for all of the others but `openContainers`, and leaves electricity
where it is the subject."""

_ELECTRICAL = ("power-component", "conductivity")


def split_variations(name: str, split: str) -> range:
    """The variations of a type in a split: the first half is train, the next quarter dev, the rest test.

    As the package does it: a quarter is rounded down, and a half is two of those.
    """
    if split not in SPLITS:
        raise UsageError(f"ScienceWorld has no split '{split}'; {did_you_mean(split, SPLITS)}")
    number = VARIATIONS[name]
    quarter = number // 4
    return {"train": range(2 * quarter), "dev": range(2 * quarter, 3 * quarter), "test": range(3 * quarter, number)}[
        split
    ]


def check(name: object, variation: object, simplifications: object) -> tuple[str, int, str]:
    """The three settings of a task, or a `UsageError` that says which one is wrong."""
    if not isinstance(name, str) or name not in VARIATIONS:
        raise UsageError(f"ScienceWorld has no task type {name!r}; {did_you_mean(str(name), VARIATIONS)}")
    if type(variation) is not int or not 0 <= variation < VARIATIONS[name]:
        raise UsageError(
            f"variation {variation!r} of '{name}' does not exist; they go from 0 to {VARIATIONS[name] - 1}"
        )
    if not isinstance(simplifications, str):
        raise UsageError(f"simplifications is {simplifications!r}; it takes names parted by commas, or ''")
    for part in simplifications.split(",") if simplifications else ():
        if part not in SIMPLIFICATIONS:
            raise UsageError(f"ScienceWorld has no simplification '{part}'; {did_you_mean(part, SIMPLIFICATIONS)}")
        if part == "noElectricalAction" and any(word in name for word in _ELECTRICAL):
            raise UsageError(f"'{name}' is about electricity; it cannot be played with noElectricalAction")
    return name, variation, simplifications
