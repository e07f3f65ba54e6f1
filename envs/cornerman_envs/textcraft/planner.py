"""Finds the way to a goal: what to fetch and craft, given what is in the inventory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from .book import Book, Recipe, listed


class Planner:
    """One plan. Base items never run out, so that every goal can be reached from every inventory.

    What a craft needs is set aside when it is found or made, so that no other craft takes it. `amounts` are the numbers
    of each base item that may be fetched at once.
    """

    def __init__(self, book: Book, amounts: Mapping[str, list[int]], inventory: Mapping[str, int]) -> None:
        self.book, self.amounts = book, amounts
        self.free = Counter(inventory)
        self.actions: list[str] = []

    def make(self, item: str, missing: int) -> None:
        """Craft at least `missing` more of an item; all of them are free then."""
        recipe = min(self.book.by_item[item], key=self._rank)
        times = math.ceil(missing / recipe.count)
        chosen = [(self._choose(name, count * times), count) for name, count in recipe.inputs]
        for name, count in chosen:
            self._set_aside(name, count * times)
        self.actions += [f"craft {recipe.count} {item} using {listed(chosen)}"] * times
        self.free[item] += recipe.count * times

    def _set_aside(self, item: str, count: int) -> None:
        missing = count - self.free[item]
        if missing > 0:
            if item in self.book.fetched:
                self._fetch(item, missing)
            else:
                self.make(item, missing)
        self.free[item] -= count

    def _fetch(self, item: str, missing: int) -> None:
        while missing > 0:
            fitting = [amount for amount in self.amounts[item] if amount <= missing]
            amount = max(fitting, default=min(self.amounts[item]))
            self.actions.append(f"get {amount} {item}")
            self.free[item] += amount
            missing -= amount

    def _choose(self, name: str, count: int) -> str:
        """The member of a category that is at hand in full, else the one that is made most simply."""
        return min(self.book.members(name), key=lambda m: (self.free[m] < count, self.book.depths[m]))

    def _rank(self, recipe: Recipe) -> tuple[int, int, int]:
        """Recipes whose inputs lie in the inventory first, then the simplest."""
        lacking = sum(self.free[self._choose(name, count)] < count for name, count in recipe.inputs)
        return lacking, max(self.book.depths[name] for name, _ in recipe.inputs), len(recipe.inputs)
