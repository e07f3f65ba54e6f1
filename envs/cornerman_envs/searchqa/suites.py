"""The suites. The shipped ones are cut from the splits dev and test, whose order takes kinds of questions in turn.

A gold plan has five calls at most; the rules leave room for more than twice that.
"""

from __future__ import annotations

import functools

from cornerman.errors import UsageError
from cornerman.suites import Rules, Suite

from . import spec

RULES = Rules(max_turns=12)
DEV, SMOKE = slice(0, 50), slice(50, 300)


def smoke() -> Suite:
    """The first question of every family that `dev` leaves."""
    firsts = {task.family: task for task in reversed(spec.atlas_tasks("dev")[SMOKE])}
    tasks = tuple(firsts[family] for family in sorted(firsts))
    return Suite(name="searchqa-smoke", tasks=tasks, rules=RULES, description="one question of each family")


def dev() -> Suite:
    """Fifty questions for development."""
    tasks = tuple(spec.atlas_tasks("dev")[DEV])
    return Suite(name="searchqa-dev", tasks=tasks, rules=RULES, description="fifty questions for development")


def test() -> Suite:
    """The whole test split."""
    tasks = tuple(spec.atlas_tasks("test"))
    return Suite(name="searchqa-test", tasks=tasks, rules=RULES, description="questions about other things than train")


def _files(split: str) -> Suite:
    tasks = tuple(spec.files_tasks(split))
    if not tasks:
        raise UsageError(f"SEARCHQA_DATA holds no questions of split '{split}'; put them into {split}.json there")
    name = f"searchqa-files-{split}"
    return Suite(name=name, tasks=tasks, rules=RULES, description=f"your own questions, split {split}")


files_dev = functools.partial(_files, "dev")
files_test = functools.partial(_files, "test")
