"""The commands: read from text, turned into minigrid's moves on what is in view, and listed where they do something."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from .view import HERE, Seen, View
from .world import Move

GRAMMAR = (
    "turn left, turn right, move forward, move forward N, go to THING, pick up THING, drop, drop next to THING, "
    "toggle, toggle DOOR, go through DOOR, toggle and go through DOOR"
)
UNKNOWN = f"Could not understand that. Actions: {GRAMMAR}. Name a thing as it is listed in what you see."
TURNS: dict[str, Move] = {"turn left": "left", "turn right": "right"}
FORWARD = re.compile(r"move forward(?: ([1-9][0-9]?))?(?: steps?)?")
NAMED = re.compile(
    r"(go to|pick up|drop next to|toggle and go through|go through|toggle) (?:the )?"
    r"([a-z]+) (?:(open|closed|locked) )?(key|ball|box|door)(?: ([1-9][0-9]?))?"
)


class Refused(Exception):
    """The command cannot be carried out; its text says why."""


class Course(NamedTuple):
    """The moves of a command. Its last `blind` moves may lead out of view, and end where something is in the way."""

    moves: list[Move]
    blind: int = 0


def course(view: View, command: str) -> Course | None:
    """The moves of a command in lower case, or None where it is none. Raises Refused."""
    if command in TURNS:
        return Course([TURNS[command]])
    if command in ("drop", "toggle"):
        return _drop(view) if command == "drop" else _toggle_front(view)
    if forward := FORWARD.fullmatch(command):
        steps = int(forward[1] or 1)
        if not view.run(0):
            raise Refused(f"You cannot move forward: {view.at(HERE.front) or 'a wall'} is in the way.")
        return Course(["forward"] * steps, blind=steps)
    if (named := NAMED.fullmatch(command)) is None:
        return None
    verb, colour, status, kind, number = named.groups()
    return VERBS[verb](view, _find(view, colour, status, kind, int(number or 1)))


def admissible(view: View) -> list[str]:
    """The commands that do something now."""
    listed = [*TURNS, *("move forward" if n == 1 else f"move forward {n}" for n in range(1, view.run(0) + 1))]
    candidates = ["drop", "toggle"]
    for seen in view.seen:
        verbs = ("toggle", "go through", "toggle and go through") if seen.thing.kind == "door" else ("pick up",)
        candidates += [f"{verb} {seen}" for verb in ("go to", *verbs, "drop next to")]
    return listed + [command for command in candidates if _works(view, command)]


def _works(view: View, command: str) -> bool:
    try:
        return bool(course(view, command))
    except Refused:
        return False


def _find(view: View, colour: str, status: str | None, kind: str, number: int) -> Seen:
    """The thing of that name; a door's status may be left out, and then all doors of the colour count."""
    fitting = [s for s in view.seen if s.thing[:2] == (colour, kind) and status in (None, s.thing.status)]
    if len(fitting) < number:
        name = " ".join(word for word in (colour, status, kind) if word)
        raise Refused(f"You do not see {'any' if number == 1 else f'so many as {number} of'} {name} here.")
    return fitting[number - 1]


def _facing(view: View, seen: Seen) -> list[Move]:
    if seen.spot not in view.fronts:
        raise Refused(f"You see no free way to {seen}.")
    return view.fronts[seen.spot]


def _go_to(view: View, seen: Seen) -> Course:
    moves = _facing(view, seen)
    if not moves:
        raise Refused(f"You are in front of {seen} already.")
    return Course(moves)


def _pick_up(view: View, seen: Seen) -> Course:
    if seen.thing.kind == "door":
        raise Refused("A door cannot be picked up.")
    if view.carried is not None:
        raise Refused("You carry something already: drop it first.")
    return Course([*_facing(view, seen), "pickup"])


def _drop(view: View) -> Course:
    if view.carried is None:
        raise Refused("You carry nothing.")
    if HERE.front not in view.empty:
        raise Refused(f"You cannot drop it here: {view.at(HERE.front) or 'a wall'} is in front of you.")
    return Course(["drop"])


def _drop_next_to(view: View, seen: Seen) -> Course:
    if view.carried is None:
        raise Refused("You carry nothing.")
    ways = [moves for spot, moves in view.fronts.items() if spot in view.empty and spot.touches(seen.spot)]
    if not ways:
        raise Refused(f"You see no free way to an empty place next to {seen}.")
    return Course([*min(ways, key=len), "drop"])


def _toggle_front(view: View) -> Course:
    front = view.at(HERE.front)
    if front is None or front.thing.kind not in ("door", "box"):
        raise Refused("There is nothing to toggle in front of you: only doors and boxes can be.")
    if front.thing.kind == "door":
        _need_key(view, front)
    return Course(["toggle"])


def _toggle(view: View, seen: Seen) -> Course:
    if seen.thing.kind != "door":
        raise Refused(f"Go to {seen} first: only doors are toggled by name.")
    _need_key(view, seen)
    return Course([*_facing(view, seen), "toggle"])


def _go_through(view: View, seen: Seen) -> Course:
    if seen.thing.kind != "door":
        raise Refused(f"You cannot go through a {seen.thing}.")
    if seen.thing.status != "open":
        raise Refused(f"{seen} is not open.".capitalize())
    return Course([*_facing(view, seen), "forward", "forward"], blind=1)


def _toggle_and_go_through(view: View, seen: Seen) -> Course:
    if seen.thing.kind == "door" and seen.thing.status == "open":
        raise Refused(f"{seen} is open: toggling would close it.".capitalize())
    return Course([*_toggle(view, seen).moves, "forward", "forward"], blind=1)


def _need_key(view: View, door: Seen) -> None:
    key = view.carried
    if door.thing.status == "locked" and (key is None or (key.kind, key.colour) != ("key", door.thing.colour)):
        raise Refused(f"{door} is locked: carry a {door.thing.colour} key.".capitalize())


VERBS: dict[str, Callable[[View, Seen], Course]] = {
    "go to": _go_to,
    "pick up": _pick_up,
    "drop next to": _drop_next_to,
    "toggle": _toggle,
    "go through": _go_through,
    "toggle and go through": _toggle_and_go_through,
}
