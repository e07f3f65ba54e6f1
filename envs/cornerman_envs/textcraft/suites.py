"""The suites: the first tasks of a split, the depths in turn. The rules leave room for twice the longest plan."""

from __future__ import annotations

from cornerman.suites import Rules, Suite
from cornerman_envs.light.listing import mixed, tasks

from .spec import ENV, FAMILIES

RULES = Rules(max_turns=60)


def _suite(name: str, split: str, number: int, description: str) -> Suite:
    listed = tasks(ENV, "textcraft", FAMILIES, split)
    return Suite(name=name, tasks=mixed(listed, number), rules=RULES, description=description)


def smoke() -> Suite:
    """Five goals of depth 1 to 4."""
    return _suite("textcraft-smoke", "dev", 5, "five TextCraft goals of depth 1 to 4")


def dev() -> Suite:
    """Fifty goals for development."""
    return _suite("textcraft-dev", "dev", 50, "fifty TextCraft goals of depth 1 to 4 for development")


def test() -> Suite:
    """Two hundred goals, no item of which is a goal elsewhere."""
    return _suite("textcraft-test", "test", 200, "two hundred TextCraft goals of depth 1 to 4")
