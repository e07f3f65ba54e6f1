"""The suites of `cornerman run quickstart`: short tasks of six environments, and TextWorld's beside them."""

from __future__ import annotations

from cornerman.records import Task
from cornerman.suites import Rules, Suite
from cornerman_envs.alfworld import suites as alfworld
from cornerman_envs.bfcl import suites as bfcl
from cornerman_envs.frozenlake import suites as frozenlake
from cornerman_envs.searchqa import suites as searchqa
from cornerman_envs.sokoban import suites as sokoban
from cornerman_envs.textcraft import suites as textcraft
from cornerman_envs.textworld import suites as textworld

RULES = Rules(max_turns=8)
"""The longest gold plan, a conversation of BFCL, takes them all."""

HOUSEHOLD = (
    "pick_and_place_simple",
    "look_at_obj_in_light",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
)
"""Task types of ALFWorldGen."""


def suite() -> Suite:
    """Twelve tasks whose gold plans are short, so that a small model on a laptop plays them all in minutes.

    Four are of ALFWorldGen, six are small games, and two are played by tool calls.
    """
    tasks = (
        *_firsts(alfworld.dev(), *HOUSEHOLD),
        *_chosen(textcraft.dev(), "textcraft-depth-1-dev-0", "textcraft-depth-1-dev-1"),
        *_chosen(frozenlake.dev(), "frozenlake-grid-3-dev-0", "frozenlake-grid-3-dev-1"),
        *_chosen(sokoban.dev(), "sokoban-5x5-1-dev-0", "sokoban-5x5-1-dev-16"),
        *_chosen(searchqa.dev(), "searchqa-dev-22"),
        *_chosen(bfcl.dev(), "bfcl-base-79"),
    )
    return Suite(
        name="quickstart",
        tasks=tasks,
        rules=RULES,
        description="twelve short tasks: four of ALFWorldGen, six small games, two by tool calls",
    )


def with_textworld() -> Suite:
    """The same twelve and a TextWorld game of each of three kinds."""
    games = _firsts(textworld.dev(), "coin-5", "treasure-5", "cooking-r1")
    return Suite(
        name="quickstart-textworld",
        tasks=(*suite().tasks, *games),
        rules=RULES,
        description="the twelve tasks of quickstart and three of TextWorld",
    )


def _chosen(suite: Suite, *ids: str) -> tuple[Task, ...]:
    tasks = {task.id: task for task in suite.tasks}
    return tuple(tasks[name] for name in ids)


def _firsts(suite: Suite, *families: str) -> tuple[Task, ...]:
    return tuple(next(t for t in suite.tasks if t.family == family) for family in families)
