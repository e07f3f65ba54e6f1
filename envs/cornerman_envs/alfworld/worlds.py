"""Other rooms that would have shown the same: the things that nobody has seen yet, laid out anew."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cornerman_envs.alfworld.engine import Game
from cornerman_envs.alfworld.engine.state import State

TRIES = 4
"""Layouts tried for each state that is asked for; some are refused, since they would have shown."""


class Shown(NamedTuple):
    """What is shown at one moment: the answer to the last action, the listed actions, whether the task is solved."""

    answer: str
    admissible: tuple[str, ...]
    won: bool


def consistent(game: Game, actions: Sequence[str], number: int, chance: random.Random) -> list[State]:
    """States after the same actions in rooms in which every answer and every listed action would have been the same.

    A thing whose name has not been shown lies in any receptacle that can hold it and whose inside has not been shown,
    each as likely as the next. Things that were shown, and those that can not be carried, stay. All things are those of
    the game, so that further rooms would fit, with others. Each candidate is played and refused where anything differs;
    fewer than `number` come back where many are.
    """
    real, seen = list(play(game, game.reset(), actions)), looked_into(game, actions)
    text = "\n".join(line for shown in real for line in (shown.answer, *shown.admissible))
    inside = [names for predicate, names in game.facts(game.reset()) if predicate == "inreceptacle"]
    movable: dict[str, list[str]] = {}
    for thing, home in sorted(inside):
        free = [h for h in game.homes(thing) if h not in seen]
        if home in free and len(free) > 1 and not re.search(rf"\b{re.escape(thing)}\b", text):
            movable[thing] = free
    found: dict[tuple[str, ...], State] = {}
    for _ in range(TRIES * number if movable else 0):
        homes = {thing: chance.choice(free) for thing, free in movable.items()}
        other = game.relaid(homes)
        if all(a == b for a, b in zip(play(game, other, actions), real, strict=True)):
            found[tuple(homes.values())] = other
        if len(found) == number:
            break
    return list(found.values())


def play(game: Game, state: State, actions: Sequence[str]) -> Iterator[Shown]:
    """What is shown at the start and after each action; `state` moves along."""
    yield Shown("", tuple(game.admissible(state)), game.won(state))
    for action in actions:
        answer = game.step(state, action)
        yield Shown(answer, tuple(game.admissible(state)), game.won(state))


def looked_into(game: Game, actions: Sequence[str]) -> set[str]:
    """The receptacles whose inside has been shown: the agent stood by them, and they were open."""
    state, seen = game.reset(), set[str]()
    for action in ("", *actions):
        if action:
            game.step(state, action)
        facts = game.facts(state)
        here = {place for predicate, (*_, place) in facts if predicate == "atlocation"}
        opened = {names[0] for predicate, names in facts if predicate == "opened"}
        closed = {names[0] for predicate, names in facts if predicate == "openable"} - opened
        near = {names[0] for predicate, names in facts if predicate == "receptacleatlocation" and names[1] in here}
        seen |= near - closed
    return seen
