"""A stage of a recipe, ready to be played: its tasks, its method, and how the roles learn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from cornerman.engine.method import Method, build_method
from cornerman.experiment import load_suite
from cornerman.records import Task
from cornerman.registry import Registry
from cornerman.seeds import generator
from cornerman.suites import Suite
from cornerman_plugins.trainers.learning.lesson import Way
from cornerman_plugins.trainers.recipe.settings import Recipe, Stage

MODELS = {"actor": "policy:actor", "critic": "policy:critic"}
"""Model URIs for the plug-ins that name none: the role's weights in training."""


@dataclass
class Scene:
    """A stage with everything loaded that it names."""

    stage: Stage
    suite: Suite
    method: Method
    ways: dict[str, Way]

    @staticmethod
    def of(registry: Registry, recipe: Recipe, stage: Stage) -> Scene:
        """Load it. Raises `UsageError` for what is not there."""
        suite = load_suite(registry, stage.suite or recipe.suite)
        method = build_method(registry, stage.method, MODELS, suite.rules)
        return Scene(stage, suite, method, {role: Way.of(registry, how) for role, how in stage.learn.items()})

    def tasks(self, seed: int, start: int, number: int) -> list[Task]:
        """So many tasks from the `start`-th on, which was counted from the run's beginning."""
        return list(itertools.islice(endless(self.suite, seed, start), number))


def endless(suite: Suite, seed: int, start: int) -> Iterator[Task]:
    """The suite's tasks again and again from a place on, each time in another order."""
    n = len(suite.tasks)
    for at in itertools.count(start):
        order = list(range(n))
        generator(seed, "tasks", suite.panel, at // n).shuffle(order)
        yield suite.tasks[order[at % n]]
