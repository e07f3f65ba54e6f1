"""Suites of each setting: `full` is the wheel's base split, train and test; `dev` and `smoke` are of train alone.

Where there is a user, the suite's rules name its simulator: `scripted-user`, which needs no model, and in the suites
`full-llm` `llm-user`, which is how τ²-bench itself is played. A simulator is part of a board's key.
"""

from __future__ import annotations

import functools

import msgspec

from cornerman.records import Task
from cornerman.suites import Rules, Suite
from cornerman_envs.tau2.spec import SETTINGS

RULES = Rules(max_turns=104)
"""The wheel's limit of 200 steps lets an agent decide 101 times at most; the rest are requests to a critic."""
DEV = 50
"""Tasks of `dev`, spread over train; airline's train has 30."""
SMOKE = {
    "telecom-solo": (0, 43, 57, 80, 113),
    "telecom": (0, 43, 57, 80, 113),
    "retail": (0, 22, 29, 44, 98),
    "airline": (3, 7, 14, 38, 46),
}
"""Short and long answers, transfers, things to tell, and one task in which nothing may be done."""


def _suite(setting: str, name: str, tasks: list[Task], description: str, user: str = "scripted-user") -> Suite:
    rules = RULES if SETTINGS[setting].solo else msgspec.structs.replace(RULES, user=user)
    return Suite(name=f"tau2-{setting}-{name}", tasks=tuple(tasks), rules=rules, description=description)


def full(setting: str) -> Suite:
    """All tasks."""
    return _suite(setting, "full", SETTINGS[setting].tasks(), "the base split of tau2")


def full_llm(setting: str) -> Suite:
    """All tasks, with a model as the user."""
    return _suite(setting, "full-llm", SETTINGS[setting].tasks(), "the base split of tau2, a model as user", "llm-user")


def dev(setting: str) -> Suite:
    """Tasks for development, evenly spread over the split train."""
    train = SETTINGS[setting].tasks("train")
    number = min(DEV, len(train))
    return _suite(setting, "dev", [train[i * len(train) // number] for i in range(number)], "of the split train")


def smoke(setting: str) -> Suite:
    """A few tasks of the split train."""
    train = {task.id: task for task in SETTINGS[setting].tasks("train")}
    chosen = [train[f"tau2-{setting}-{number}"] for number in SMOKE[setting]]
    return _suite(setting, "smoke", chosen, "five of the split train")


telecom_solo_full, telecom_full, retail_full, airline_full = (functools.partial(full, name) for name in SETTINGS)
telecom_solo_dev, telecom_dev, retail_dev, airline_dev = (functools.partial(dev, name) for name in SETTINGS)
telecom_solo_smoke, telecom_smoke, retail_smoke, airline_smoke = (functools.partial(smoke, name) for name in SETTINGS)
telecom_full_llm, retail_full_llm, airline_full_llm = (
    functools.partial(full_llm, name) for name in SETTINGS if not SETTINGS[name].solo
)
