"""Worlds for the tests: of a level and seed, or drawn by hand."""

from __future__ import annotations

import json
import random
from typing import Any

from cornerman.records import Task
from cornerman_envs.babyai import suites
from cornerman_envs.babyai.env import BabyAIEnv
from cornerman_envs.babyai.levels import make_level
from cornerman_envs.babyai.spec import ENV
from cornerman_envs.babyai.world import World

COLOURS = {"r": "red", "b": "blue", "g": "green", "y": "yellow"}
FACING = {">": 0, "v": 1, "<": 2, "^": 3}


def play(level: str, seed: int = 0) -> BabyAIEnv:
    """A level as a seed makes it, opened."""
    env = BabyAIEnv(Task(env=ENV, id=f"{level}-{seed}", seed=seed, settings={"level": level}))
    env.reset()
    return env


def drawn(*rows: str, carrying: str = "") -> World:
    """A world of the drawn cells, at most eight by eight: walls around the whole level stay.

    Every cell takes two columns: # is a wall, > v < ^ the agent; a thing is its colour (r, b, g, y) and its kind: o a
    ball, k a key, x a box, d a closed door, D an open and l a locked one.
    """
    from minigrid.core.world_object import Ball, Box, Door, Key, Wall

    makers: dict[str, Any] = {
        "o": Ball,
        "k": Key,
        "x": Box,
        "d": Door,
        "D": lambda colour: Door(colour, is_open=True),
        "l": lambda colour: Door(colour, is_locked=True),
    }
    level = make_level("GoToLocal", 0)
    for y, row in enumerate(rows):
        for x in range(len(row) // 2):
            first, second = row[2 * x], row[2 * x + 1]
            thing = Wall() if first == "#" else makers[second](COLOURS[first]) if second in makers else None
            level.grid.set(x, y, thing)
            if first in FACING:
                level.agent_pos, level.agent_dir = (x, y), FACING[first]
    if carrying:
        level.carrying = makers[carrying[1]](COLOURS[carrying[0]])
    level.instrs.reset_verifier(level)
    return World(level)


def wander(env: BabyAIEnv, steps: int, seed: int) -> list[Any]:
    """Random admissible actions from the beginning on; what was answered."""
    chance = random.Random(seed)
    observation, info = env.reset()
    transcript: list[Any] = [[observation, info]]
    for _ in range(steps):
        if not info["admissible_actions"]:
            break
        *answer, info = env.step(chance.choice(info["admissible_actions"]))
        transcript.append([*answer, info])
    return transcript


def transcripts() -> str:
    """What random play of the smoke tasks is answered, with gold at its end, as JSON; the same in every process."""
    played = []
    for number, task in enumerate(suites.smoke().tasks):
        env = BabyAIEnv(task)
        played.append([wander(env, 12, number), env.gold()])
    return json.dumps(played)
