"""Our verdicts against those of the wheel's own `multi_turn_checker`, on answers and on spoilt answers.

The wheel executes calls by `eval`; here it gets nothing but its own answers, or parts of them.
"""

from __future__ import annotations

import importlib
import itertools
import json
from typing import Any

import pytest

from cornerman_envs.bfcl.calls import read_answer, write_calls
from cornerman_envs.bfcl.env import BFCLEnv
from cornerman_envs.bfcl.problem import problem_of
from cornerman_envs.bfcl.spec import category_tasks, task_of
from cornerman_envs.bfcl.wheel import CATEGORIES, PACKAGE, entries, entry, wheel

NAMES = itertools.count()
"""Makes a name of its own for every check: the wheel finds the backends of a name again."""


def theirs(name: str, said: list[list[str]]) -> str | None:
    """The wheel's verdict: the error's type, or None where nothing is wrong."""
    wheel()
    module = importlib.import_module(f"{PACKAGE}.eval_checker.multi_turn_eval.multi_turn_checker")
    question, answer = map(json.loads, entry(name))
    steps = [[[call] for call in turn] for turn in said]
    found = module.multi_turn_checker(steps, answer["ground_truth"], question, "", f"check{next(NAMES)}")
    return None if found["valid"] else str(found["error_type"])


def ours(name: str, said: list[list[str]]) -> str | None:
    """The verdict of an episode in which these calls are made."""
    env = BFCLEnv(task_of(name))
    env.reset()
    methods = problem_of(task_of(name)).backends().methods
    for turn in said:
        if turn:
            env.step(write_calls([read_answer(call, methods) for call in turn]))
        _, _, over, _, info = env.step("Done.")
    assert over
    failure = env.facts()["failure"]
    assert info["success"] == (failure is None)
    return failure if failure is None else str(failure)


def answer(name: str) -> list[list[str]]:
    calls: list[list[str]] = json.loads(entry(name)[1])["ground_truth"]
    return calls


@pytest.mark.parametrize("category", CATEGORIES)
def test_gold_wins_and_the_wheel_agrees(category: str) -> None:
    assert len(category_tasks(category)) == 200
    for name in entries(category):
        assert theirs(name, answer(name)) is None, name
        assert ours(name, answer(name)) is None, name


def spoilt(said: list[list[str]], place: int) -> list[tuple[str, list[list[str]]]]:
    """An answer with a call left out, one made twice, turns exchanged, a turn left out, and its calls reversed."""
    turns = [i for i, turn in enumerate(said) if turn]
    at = turns[place % len(turns)]

    def with_turn(calls: list[str]) -> list[list[str]]:
        return [calls if i == at else turn for i, turn in enumerate(said)]

    return [
        ("left out", with_turn(said[at][1:])),
        ("twice", with_turn([*said[at], said[at][-1]])),
        ("silent", with_turn([])),
        ("reversed", with_turn(said[at][::-1])),
        ("early", [said[at], *said[1:at], [], *said[at + 1 :]] if at else said),
        ("one for all", [[call for turn in said for call in turn], *([[]] * (len(said) - 1))]),
    ]


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_wheel_agrees_on_spoilt_answers(category: str) -> None:
    verdicts: dict[str, set[str | None]] = {}
    for place, name in enumerate(list(entries(category))[1::19]):
        for kind, said in spoilt(answer(name), place):
            verdict = ours(name, said)
            assert verdict == theirs(name, said), (name, kind, said)
            verdicts.setdefault(kind, set()).add(verdict)
    assert {v for found in verdicts.values() for v in found} == {
        None,
        "multi_turn:empty_turn_model_response",
        "multi_turn:instance_state_mismatch",
        "multi_turn:execution_response_mismatch",
    }


def test_tools_are_withheld_and_offered_as_by_the_wheel() -> None:
    for name in entries("miss_func"):
        question: dict[str, Any] = json.loads(entry(name)[0])
        problem = problem_of(task_of(name))
        [(turn, names)] = question["missed_function"].items()
        for i, tools in enumerate(problem.tools):
            offered = [tool["name"] for tool in tools]
            assert len(set(offered)) == len(offered)
            assert all((n in offered) == (i >= int(turn)) for n in names), (name, i)
        assert problem.messages[int(turn)] == wheel().more_tools
