"""The suites. The rules leave one turn more than the longest plan: looking into the wrong place twice is too much."""

from __future__ import annotations

import functools

from cornerman.suites import Rules, Suite

from .spec import of_family


def _suite(name: str, family: str, split: str, number: int, turns: int, description: str) -> Suite:
    chosen = tuple(of_family(family, split)[:number])
    return Suite(name=name, tasks=chosen, rules=Rules(max_turns=turns), description=description)


smoke = functools.partial(_suite, "hidden-smoke", "full", "dev", 5, 5, "five hidden objects")
dev = functools.partial(_suite, "hidden-dev", "full", "dev", 48, 5, "48 hidden objects for development")
test = functools.partial(_suite, "hidden-test", "full", "test", 256, 5, "256 objects, no pair of which is trained")
train = functools.partial(_suite, "hidden-train", "full", "train", 600, 5, "600 hidden objects to train on")
easy_train = functools.partial(_suite, "hidden-easy-train", "easy", "train", 600, 3, "600 hidden objects, 3 places")
easy_dev = functools.partial(_suite, "hidden-easy-dev", "easy", "dev", 48, 3, "48 hidden objects, 3 places")
