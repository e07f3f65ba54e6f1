"""Suites of BFCL conversations. `full` and the four categories are BFCL's own, whatever split a conversation is of."""

from __future__ import annotations

import functools

from cornerman.suites import Rules, Suite
from cornerman_envs.bfcl.spec import category_tasks, task_of, tasks
from cornerman_envs.bfcl.wheel import CATEGORIES

RULES = Rules(max_turns=168)
"""Never less than BFCL's own limit: 20 steps and a message in each of at most 8 turns of the user."""

SMOKE = ("base_15", "long_context_31", "miss_func_79", "miss_param_111", "base_191")
"""Of the split `dev`: files, files at length, cars, stocks and journeys."""


def full() -> Suite:
    """All conversations."""
    every = tuple(task for category in CATEGORIES for task in category_tasks(category))
    return Suite(name="bfcl-full", tasks=every, rules=RULES, description="all multi-turn conversations of BFCL")


def _category(category: str) -> Suite:
    name = f"bfcl-{category.replace('_', '-')}"
    return Suite(name=name, tasks=tuple(category_tasks(category)), rules=RULES, description=f"BFCL's {category}")


base, long_context, miss_func, miss_param = (functools.partial(_category, category) for category in CATEGORIES)


def dev() -> Suite:
    """The split `dev`, all categories alike."""
    return Suite(name="bfcl-dev", tasks=tuple(tasks("dev")), rules=RULES, description="the split dev")


def smoke() -> Suite:
    """A few."""
    chosen = tuple(task_of(f"multi_turn_{name}") for name in SMOKE)
    return Suite(name="bfcl-smoke", tasks=chosen, rules=RULES, description="five conversations of the split dev")
