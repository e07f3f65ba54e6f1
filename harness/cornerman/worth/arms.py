"""The arms: what a fork does otherwise than the record, and by which method it is played on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from cornerman.engine.instance import Instance
from cornerman.engine.method import Method
from cornerman.engine.settings import WrapSettings
from cornerman.engine.wrappers import placebo
from cornerman.records import ContextItem, Critique, Episode
from cornerman.worth.places import Place

Arm = Literal["words", "placebo", "silence", "placebo-on", "silence-on"]
"""words: what was said. placebo: as many words that say nothing, after the same call. silence: nothing was said. The
critic goes on speaking after all three. placebo-on, silence-on: so from here to the end."""

ONCE: tuple[Arm, ...] = ("words", "placebo", "silence")
ON: tuple[Arm, ...] = ("placebo-on", "silence-on")
NOBODY = ContextItem(text="No one can answer that.", source="engine")
"""What the engine says where a question finds no answer."""


def arms_of(place: Place) -> tuple[Arm, ...]:
    """The arms of a moment. Where the critic stayed silent, it speaks for once; what comes after is as recorded."""
    return (*ONCE, *ON) if place.spoke else ONCE


def recorded_arm(place: Place) -> Arm:
    """The arm that is what was recorded."""
    return "words" if place.spoke else "silence"


@dataclass(frozen=True)
class Corner:
    """A method, the same with a placebo for one critic's words and without that critic, and who speaks for once."""

    method: Method
    placebo: Method
    off: Method
    speaks: Instance
    mumbles: Instance


def corner(method: Method, label: str) -> Corner:
    """The variants of a method by one of its critics."""
    critic = next(c for c in method.critics if c.label == label)
    filler = with_settings(critic, wrap=WrapSettings(use="placebo"))
    always: dict[str, Any] = {"trigger": {}, "budget": None, "cooldown": 0}
    swapped = [filler if c is critic else c for c in method.critics]
    return Corner(
        method=method,
        placebo=dataclasses.replace(method, critics=swapped),
        off=dataclasses.replace(method, critics=[c for c in method.critics if c is not critic]),
        speaks=with_settings(critic, **always),
        mumbles=with_settings(filler, **always),
    )


def with_settings(critic: Instance, **changes: Any) -> Instance:
    """The same plug-in under other settings; its name in states and seeds stays."""
    return dataclasses.replace(critic, settings=msgspec.structs.replace(critic.settings, **changes))


def said_at(episode: Episode, place: Place) -> list[Critique]:
    """What the critic said at a moment."""
    wanted = set(place.critiques)
    everything = [c for a in episode.attempts for c in (*(c for t in a.turns for c in t.critiques), *a.critiques)]
    return [c for c in everything if c.id in wanted]


def method_of(corner: Corner, arm: Arm) -> Method:
    """Who plays on."""
    return {"placebo-on": corner.placebo, "silence-on": corner.off}.get(arm, corner.method)


def changes(corner: Corner, episode: Episode, place: Place, arm: Arm) -> Mapping[str, Any]:
    """The arguments of `cornerman.engine.fork.fork` that make the arm.

    Before an action, chance begins after the actor's own first choice and the critics' review of it; silence executes
    that choice, the placebo keeps the verdict. Elsewhere it begins with the words standing in the context.
    """
    out: dict[str, Any] = {"keep": place.moment == "review_action"}
    if not place.spoke:
        if arm != "silence":
            out["ask"] = corner.speaks if arm == "words" else corner.mumbles
    elif arm in ("placebo", "placebo-on"):
        out["replaced"] = {c.id: placebo(c) for c in said_at(episode, place)}
    elif arm == "silence" or (arm == "silence-on" and place.moment != "review_action"):
        out["without"] = place.critiques
        if place.moment == "answer_request":
            out["words"] = (NOBODY,)
    return out
