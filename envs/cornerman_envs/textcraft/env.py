"""Plays TextCraft as an environment of Cornerman."""

from __future__ import annotations

import random
import re
from typing import Annotated, Any, Literal

import msgspec

from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task
from cornerman.seeds import generator
from cornerman_envs.light.env import LightEnv
from cornerman_envs.light.listing import parse

from .book import ANY, Recipe, book, listed
from .planner import Planner

DISTRACTORS = 10
"""Most recipes shown that the goal has no use for."""

DEEPEST = 4
GET = re.compile(r"get ([0-9]{1,4}) (.{1,80})")
CRAFT = re.compile(r"craft ([0-9]{1,4}) (.{1,80}) using (.{1,400})")
INPUT = re.compile(r"([0-9]{1,4}) (.{1,80})")
UNKNOWN = "Could not understand that. Use: get N ITEM, craft N ITEM using N ITEM, N ITEM, or inventory."


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`depth` of the goal, which the seed chooses among those of a `part`; or the `goal` itself; most `distractors`."""

    depth: Annotated[int, msgspec.Meta(ge=1, le=DEEPEST)] = 2
    part: Literal["train", "dev", "test"] | None = None
    goal: str | None = None
    distractors: Annotated[int, msgspec.Meta(ge=0, le=DISTRACTORS)] = DISTRACTORS


class State(msgspec.Struct, frozen=True):
    """What is carried, and whether the goal has been crafted."""

    inventory: dict[str, int] = {}
    crafted: bool = False


class TextCraftEnv(LightEnv[State]):
    """One goal. The score is 1 once it has been crafted, else 0, and that ends the game.

    `get` works for base items only; a craft must name a recipe exactly, with its count and, where the recipe says "any
    board", one kind of board. Every recipe of the book works, shown or not.
    """

    state_type = State

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        settings = parse(Settings, task)
        self._book = book()
        chance = generator("textcraft", task.seed)
        self._item = settings.goal or chance.choice(self._book.goals(settings.depth, settings.part))
        if self._item not in self._book.by_item:
            known = did_you_mean(self._item, self._book.by_item)
            raise UsageError(f"task {task.id}: no recipe makes '{self._item}'; {known}")
        self.goal = f"craft {self._item}"
        self._shown = self._show(chance, settings.distractors)
        self._categories = sorted({name for r in self._shown for name, _ in r.inputs if name.startswith(ANY)})
        self._amounts = self._fetchable()

    def _show(self, chance: random.Random, distractors: int) -> list[Recipe]:
        needed = self._book.needed(self._item)
        others = [recipe for recipe in self._book.recipes if recipe not in set(needed) and recipe.item != self._item]
        shown = needed + chance.sample(others, min(distractors, len(others)))
        chance.shuffle(shown)
        return shown

    def _fetchable(self) -> dict[str, list[int]]:
        """The base items of the shown recipes, and the numbers in which a recipe takes them."""
        amounts: dict[str, set[int]] = {}
        for recipe in self._shown:
            for name, count in recipe.inputs:
                for member in self._book.members(name):
                    if member in self._book.fetched:
                        amounts.setdefault(member, set()).add(count)
        return {name: sorted(amounts[name]) for name in sorted(amounts)}

    def start(self, seed: int) -> State:
        """Nothing is carried."""
        return State()

    def opening(self) -> str:
        """The crafting commands, the members of categories, the goal."""
        lines = ["Crafting commands:", *map(str, self._shown), ""]
        lines += [f"{name} is one of: {', '.join(self._book.categories[name])}" for name in self._categories]
        return "\n".join([*lines, *([""] if self._categories else []), f"Goal: {self.goal}."])

    def look(self, state: State) -> str:
        """The inventory."""
        if not state.inventory:
            return "Inventory: You are not carrying anything."
        return "Inventory: " + " ".join(f"[{name}] ({count})" for name, count in state.inventory.items())

    def play(self, state: State, action: str) -> tuple[State, str]:
        """Fetch, craft or look into the inventory."""
        if action == "inventory":
            return state, self.look(state)
        if (get := GET.fullmatch(action)) and int(get[1]) > 0:
            return self._get(state, int(get[1]), get[2])
        if craft := CRAFT.fullmatch(action):
            inputs = [INPUT.fullmatch(part.strip()) for part in craft[3].split(",")]
            named = [(match[2], int(match[1])) for match in inputs if match]
            if len(named) == len(inputs):
                return self._craft(state, int(craft[1]), craft[2], named)
        return state, UNKNOWN

    def _get(self, state: State, count: int, item: str) -> tuple[State, str]:
        if item not in self._book.fetched:
            return state, f"Could not find {item}"
        inventory = {**state.inventory, item: state.inventory.get(item, 0) + count}
        return State(inventory), f"Got {count} {item}"

    def _craft(self, state: State, count: int, item: str, named: list[tuple[str, int]]) -> tuple[State, str]:
        recipes = [recipe for recipe in self._book.by_item.get(item, ()) if recipe.count == count]
        if not any(sorted(named) == sorted(form) for recipe in recipes for form in self._forms(recipe)):
            return state, f"Could not find a valid recipe for {item}"
        if not self._has(state, named):
            return state, f"Could not find enough items to craft {item}"
        inventory = dict(state.inventory)
        for name, number in named:
            inventory[name] -= number
        inventory[item] = inventory.get(item, 0) + count
        inventory = {name: number for name, number in inventory.items() if number}
        return State(inventory, crafted=item == self._item), f"Crafted {count} {item}"

    def _forms(self, recipe: Recipe) -> list[list[tuple[str, int]]]:
        """The inputs with which a recipe can be named: one member for each category."""
        forms: list[list[tuple[str, int]]] = [[]]
        for name, count in recipe.inputs:
            forms = [[*form, (member, count)] for form in forms for member in self._book.members(name)]
        return forms

    @staticmethod
    def _has(state: State, inputs: list[tuple[str, int]]) -> bool:
        return all(state.inventory.get(name, 0) >= count for name, count in inputs)

    def score(self, state: State) -> float:
        """1 once the goal has been crafted."""
        return float(state.crafted)

    def won(self, state: State) -> bool:
        """Whether the goal has been crafted."""
        return state.crafted

    def admissible(self, state: State) -> list[str]:
        """`inventory`, the crafts of shown recipes that can be done now, and their base items in the numbers needed."""
        crafts = [
            f"craft {recipe.count} {recipe.item} using {listed(form)}"
            for recipe in self._shown
            for form in self._forms(recipe)
            if self._has(state, form)
        ]
        gets = [f"get {count} {name}" for name, counts in self._amounts.items() for count in counts]
        return ["inventory", *crafts, *gets]

    def plan(self, state: State) -> list[str]:
        """What to fetch and craft, given what is carried."""
        planner = Planner(self._book, self._amounts, state.inventory)
        planner.make(self._item, 1)
        return planner.actions

    def consistent(self, state: State, number: int, chance: random.Random) -> list[State]:
        """None but the real one: all recipes that the goal needs are shown, and answers tell what is carried."""
        return []

    def hidden(self, state: State) -> dict[str, Any]:
        """The inventory, the goal and its depth."""
        return {"inventory": dict(state.inventory), "goal": self._item, "depth": self._book.depths[self._item]}
