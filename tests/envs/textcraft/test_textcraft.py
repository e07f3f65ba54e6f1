"""TextCraft: its book of recipes, its grammar and answers, and its planner."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cornerman.errors import UsageError
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.suites import Suite
from cornerman_envs.textcraft import suites
from cornerman_envs.textcraft.book import Book, book
from cornerman_envs.textcraft.env import UNKNOWN, TextCraftEnv

PANELS = {
    "textcraft-smoke": (5, "b46a2e9cc2a1c6777af55e74b8938c93a8ca717e96e24939f2bbfdfae8ffb524"),
    "textcraft-dev": (50, "e768d5305551e6bca19979d8276448d36685a226de276cd0cc8e8dd08ff79f80"),
    "textcraft-test": (200, "7fbf66136410a561bc0055b60d3f9b898d03a92fc8f3effe83b578e27ce9922a"),
}


def play(goal: str, **settings: Any) -> TextCraftEnv:
    env = TextCraftEnv(Task(env="cornerman/TextCraft-v1", id="x", settings={"goal": goal, **settings}))
    env.reset()
    return env


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_are_frozen(name: str, plugins: Plugins) -> None:
    suite: Suite = plugins.registry.get("suite", name).load()()
    assert (suite.name, len(suite.tasks), suite.panel) == (name, *PANELS[name])
    assert len({(task.seed, task.family) for task in suite.tasks}) == len(suite.tasks)


def test_the_book_is_whole() -> None:
    found = book()
    assert len(found.by_item) >= 120
    assert not found.fetched & set(found.by_item)
    inputs = {m for recipe in found.recipes for name, _ in recipe.inputs for m in found.members(name)}
    assert found.fetched <= inputs
    assert set(found.depths.values()) == {0, 1, 2, 3, 4}
    for recipe in found.recipes:
        options = [set(found.members(name)) for name, _ in recipe.inputs]
        assert sum(map(len, options)) == len(set.union(*options)), f"an item fits two inputs: {recipe}"


def test_wrong_books_are_refused() -> None:
    data: dict[str, Any] = {"kinds": {}, "categories": {}, "items": {"fetched": ["a"]}}
    with pytest.raises(ValueError, match="in a circle: x < y < x"):
        Book(data | {"recipes": {"lines": "craft 1 x using 1 y\ncraft 1 y using 1 x"}})
    with pytest.raises(ValueError, match="nothing makes 'z', which x needs"):
        Book(data | {"recipes": {"lines": "craft 1 x using 1 z"}})
    with pytest.raises(ValueError, match="not a recipe: make x"):
        Book(data | {"recipes": {"lines": "make x"}})


def test_no_goal_is_in_two_parts() -> None:
    for depth in range(1, 5):
        parts = [set(book().goals(depth, part)) for part in ("train", "dev", "test")]
        assert all(parts)
        assert sum(map(len, parts)) == len(set.union(*parts)) == len(book().goals(depth))


def test_grammar_and_answers() -> None:
    env = play("ash stool")
    said = [
        ("inventory", "Inventory: You are not carrying anything."),
        ("get 2 ash board", "Could not find ash board"),
        ("get 0 ash log", UNKNOWN),
        ("get ash log", UNKNOWN),
        ("craft 4 ash board using 1 ash log", "Could not find enough items to craft ash board"),
        ("  GET 2  ash log ", "Got 2 ash log"),
        ("craft 8 ash board using 2 ash log", "Could not find a valid recipe for ash board"),
        ("craft 4 ash board using 1 ash log", "Crafted 4 ash board"),
        ("inventory", "Inventory: [ash log] (1) [ash board] (4)"),
        ("craft 4 peg using 1 any board", "Could not find a valid recipe for peg"),
        ("craft 4 peg using 1 ash board", "Crafted 4 peg"),
        ("craft 1 ash stool using 4 peg, 2 ash board", "Crafted 1 ash stool"),
    ]
    for action, answer in said:
        observation, _, ended, _, info = env.step(action)
        assert observation == answer
        assert ended == info["success"] == (action == said[-1][0])


def test_the_opening_lists_what_is_needed_and_the_distractors() -> None:
    for distractors in (0, 10):
        opening, info = play("ash stool", distractors=distractors).reset()
        lines = opening.split("\n")
        recipes = [line for line in lines if line.startswith("craft ")]
        assert lines[0] == "Crafting commands:"
        assert lines[-1] == "Goal: craft ash stool."
        assert {"craft 1 ash stool using 2 ash board, 4 peg", "craft 4 peg using 1 any board"} <= set(recipes)
        assert "any board is one of: ash board, cedar board, elm board, pine board" in lines
        assert len(recipes) == 6 + distractors
        assert info["goal"] == "craft ash stool"


def test_the_plan_uses_what_is_carried() -> None:
    env = play("ash stool")
    whole = env.gold()
    assert whole is not None
    env.step("get 1 pine log")
    env.step("craft 4 pine board using 1 pine log")
    env.step("craft 4 peg using 1 pine board")
    assert env.gold() == ["get 1 ash log", "craft 4 ash board using 1 ash log", whole[-1]]


def test_what_a_craft_needs_is_not_taken_by_another() -> None:
    """The boards that the stool needs are not cut into pegs."""
    env = play("ash stool")
    env.restore({"inventory": {"ash board": 2}})
    plan = env.gold()
    assert plan == [
        "get 1 ash log",
        "craft 4 ash board using 1 ash log",
        "craft 4 peg using 1 ash board",
        "craft 1 ash stool using 2 ash board, 4 peg",
    ]
    assert not any(env.step(action)[0].startswith("Could") for action in plan)


@pytest.mark.parametrize("number", range(8))
def test_gold_wins_from_any_inventory(number: int) -> None:
    chance = random.Random(number)
    env = TextCraftEnv(suites.test().tasks[number])
    items = sorted(book().depths.keys() - book().categories.keys())
    env.restore({"inventory": {item: chance.randint(1, 9) for item in chance.sample(items, 60)}})
    plan, info = env.gold(), {}
    assert plan
    for action in plan:
        observation, *_, info = env.step(action)
        assert observation.startswith(("Got", "Crafted"))
    assert info["success"]


def test_an_unknown_goal_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="no recipe makes 'ash stol'; did you mean 'ash stool'"):
        play("ash stol")
