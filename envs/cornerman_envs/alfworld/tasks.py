"""The six task types of ALFWorld and what a task asks for."""

from __future__ import annotations

from dataclasses import dataclass

TASK_TYPES = (
    "pick_and_place_simple",
    "look_at_obj_in_light",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_two_obj_and_place",
)
"""In alfworld's order (1 to 6)."""


@dataclass(frozen=True)
class Treatment:
    """What has to be done to an object before it is put down."""

    affordance: str
    """What alfworld's tables call it."""
    appliance: str
    """The kind of receptacle that does it."""
    verb: str
    fact: str
    """The predicate that says that it was done."""


TREATMENTS = {
    "pick_clean_then_place_in_recep": Treatment("Cleanable", "SinkBasin", "clean", "isclean"),
    "pick_heat_then_place_in_recep": Treatment("Heatable", "Microwave", "heat", "ishot"),
    "pick_cool_then_place_in_recep": Treatment("Coolable", "Fridge", "cool", "iscool"),
}


@dataclass(frozen=True)
class TaskParams:
    """What a task asks for; the same for official and generated games."""

    task_type: str
    object_target: str
    """Kind of the object, `AlarmClock`."""
    parent_target: str = ""
    """Kind of the receptacle to put it into; empty for `look_at_obj_in_light`."""
    toggle_target: str = ""
    """Kind of the lamp, for `look_at_obj_in_light`."""
