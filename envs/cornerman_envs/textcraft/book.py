"""The recipes: which items there are, what makes them, and how deep each lies."""

from __future__ import annotations

import functools
import importlib.resources
import itertools
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from cornerman.seeds import derive

ANY = "any "
"""Begins the name of a category where a recipe takes one of its members."""

DEALT = ("test", "train", "dev", "train", "test")

LINE = re.compile(r"craft (\d+) (.+) using (.+)")
PLACE = re.compile(r"\{(\w+)\}")


class Recipe(msgspec.Struct, frozen=True):
    """`count` of `item` from `inputs`, pairs of an item or category and how many of it."""

    item: str
    count: int
    inputs: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return f"craft {self.count} {self.item} using {listed(self.inputs)}"


def listed(inputs: Iterable[tuple[str, int]]) -> str:
    """Inputs as a command names them: `2 ash board, 1 glue`."""
    return ", ".join(f"{count} {name}" for name, count in inputs)


class Book:
    """All recipes. `depths` has 0 for what is fetched, else 1 + the deepest input of the shallowest recipe."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        kinds = data["kinds"]
        self.fetched = frozenset(name for line in data["items"]["fetched"] for name in _expand(line, kinds))
        self.categories: dict[str, tuple[str, ...]] = {
            ANY + name: tuple(member for line in lines for member in _expand(line, kinds))
            for name, lines in data["categories"].items()
        }
        lines = data["recipes"]["lines"].strip().splitlines()
        self.recipes = tuple(_read(each) for line in lines for each in _expand(line, kinds))
        self.by_item: dict[str, tuple[Recipe, ...]] = {}
        for recipe in self.recipes:
            self.by_item[recipe.item] = (*self.by_item.get(recipe.item, ()), recipe)
        self.depths: dict[str, int] = dict.fromkeys(self.fetched, 0)
        for name in (*self.categories, *self.by_item):
            self._depth(name, ())

    def _depth(self, name: str, above: tuple[str, ...]) -> int:
        if name in self.depths:
            return self.depths[name]
        if name in above:
            raise ValueError(f"recipes run in a circle: {' < '.join((*above, name))}")
        path = (*above, name)
        if name in self.categories:
            depth = min(self._depth(member, path) for member in self.categories[name])
        elif name in self.by_item:
            depth = min(self._reach(recipe, path) for recipe in self.by_item[name])
        else:
            raise ValueError(f"nothing makes '{name}', which {above[-1] if above else 'the book'} needs")
        self.depths[name] = depth
        return depth

    def _reach(self, recipe: Recipe, path: tuple[str, ...]) -> int:
        return 1 + max(self._depth(name, path) for name, _ in recipe.inputs)

    def members(self, name: str) -> tuple[str, ...]:
        """The items that an input of this name takes."""
        return self.categories.get(name, (name,))

    def goals(self, depth: int, part: str | None = None) -> list[str]:
        """The items at a depth; those that belong to one part, where it is given.

        Each depth is dealt by hash: of five items one goes to `dev`, two to `test` and two to `train`.
        """
        names = sorted(n for n in self.by_item if self.depths[n] == depth)
        names.sort(key=lambda name: derive("textcraft", name))
        return [name for place, name in enumerate(names) if part is None or DEALT[place % len(DEALT)] == part]

    def needed(self, item: str) -> list[Recipe]:
        """Every recipe that may have a part in making an item, alternatives included; its own come first."""
        found: dict[Recipe, None] = {}
        waiting = [item]
        while waiting:
            for recipe in self.by_item.get(waiting.pop(0), ()):
                if recipe not in found:
                    found[recipe] = None
                    waiting.extend(member for name, _ in recipe.inputs for member in self.members(name))
        return list(found)


def _expand(line: str, kinds: Mapping[str, list[str]]) -> list[str]:
    """The line once for each choice of members of the kinds that it names."""
    names = list(dict.fromkeys(PLACE.findall(line)))
    return [
        line.format(**dict(zip(names, choice, strict=True)))
        for choice in itertools.product(*(kinds[name] for name in names))
    ]


def _read(line: str) -> Recipe:
    match = LINE.fullmatch(line)
    if match is None:
        raise ValueError(f"not a recipe: {line}")
    inputs = [part.split(" ", 1) for part in match[3].split(", ")]
    return Recipe(match[2], int(match[1]), tuple((name, int(count)) for count, name in inputs))


@functools.cache
def book() -> Book:
    """The recipes of `recipes.toml`; never changed after reading."""
    return Book(tomllib.loads(importlib.resources.files(__package__).joinpath("recipes.toml").read_text("utf-8")))
