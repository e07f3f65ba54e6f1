"""ScienceWorld as an environment: real tasks, played in the package's own simulator."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from typing import Any

import pytest

from cornerman.conformance.environment import check_environment
from cornerman.errors import UsageError
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman_envs.java.lending import give_back, lend
from cornerman_envs.scienceworld import suites, types
from cornerman_envs.scienceworld.env import MAX_COMMAND, OVER, ScienceWorldEnv, clean
from cornerman_envs.scienceworld.simulator import program
from cornerman_envs.scienceworld.spec import ENV, task_of, tasks

Play = Callable[[Task], ScienceWorldEnv]
SMOKE = suites.easy_smoke().tasks
SHORT = SMOKE[0]
"""Find a thing that does not live: five actions."""


def follow(env: ScienceWorldEnv, plan: list[str]) -> list[Any]:
    """Play a plan until the end: what was answered."""
    answers: list[Any] = []
    for action in plan:
        answers.append(env.step(action))
        if answers[-1][2]:
            break
    return answers


@pytest.mark.parametrize("task", SMOKE, ids=lambda task: task.family)
def test_gold_wins(task: Task, play: Play) -> None:
    env = play(task)
    _, info = env.reset()
    start = info["score"]
    assert 0 <= start < 1  # some tasks begin where an optional goal is met
    assert not info["success"]
    assert info["goal"].startswith("Your task is to")
    plan = env.gold()
    assert plan
    answers = follow(env, plan)
    assert answers[-1][2]
    assert answers[-1][4]["success"]
    assert answers[-1][4]["score"] == 1.0
    assert start + sum(reward for _, reward, *_ in answers) == pytest.approx(1.0)
    assert env.gold() == []
    assert env.step("look around")[:3] == (OVER, 0.0, True)


def test_gold_follows_the_script_and_leaves_the_game_where_it_was(play: Play) -> None:
    """Asked in the middle, it solves the task anew and plays what was played: the answers stay the same."""
    asked, quiet = play(SHORT), play(SHORT)
    assert asked.reset() == quiet.reset()
    plan = asked.gold()
    assert plan
    for played, action in enumerate(plan[:2]):
        assert asked.gold() == plan[played:]
        assert asked.step(action) == quiet.step(action)
    assert quiet.gold() == plan[2:]
    assert asked.step("wait") == quiet.step("wait")
    assert asked.gold() is None


def test_a_fatal_mistake_ends_the_task_with_score_0(play: Play) -> None:
    env = play(SMOKE[-1])
    env.reset()
    _, _, _, _, info = env.step("teleport to kitchen")
    score = info["score"]
    assert score > 0
    observation, reward, terminated, truncated, info = env.step("focus on stove")
    assert observation == "You focus on the stove."
    assert (terminated, truncated, info["success"], info["score"]) == (True, False, False, 0.0)
    assert reward == -score
    assert env.gold() is None


def test_it_answers_as_the_package_does(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's own class on a machine with the same identity hashes, without which it does not repeat itself."""
    env = play(SHORT)
    observation, info = env.reset()
    plan = env.gold()
    assert plan
    actions = ["open fridge", "nonsense", *plan]
    ours = [(observation, 0, info["score"])]
    for answer in follow(env, actions):
        ours.append((answer[0], round(100 * answer[1]), answer[4]["score"]))
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:+UnlockExperimentalVMOptions -XX:hashCode=2 -Xmx512m -XX:-UsePerfData")
    stock = importlib.import_module("scienceworld").ScienceWorldEnv("", envStepLimit=100)
    try:
        settings = SHORT.settings
        stock.load(settings["task"], settings["variation"], settings["simplifications"], generateGoldPath=True)
        observation, info = stock.reset()
        assert stock.get_gold_action_sequence() == plan
        theirs = [(observation, 0, info["score"] / 100)]
        for action in actions[: len(ours) - 1]:
            observation, reward, done, info = stock.step(action)
            theirs.append((observation, reward, info["score"] / 100))
        assert done
    finally:
        stock._gateway.java_process.kill()
        stock._gateway.java_process.wait()
    assert ours == theirs


def test_facts_tell_the_goals_and_every_object(play: Play) -> None:
    env = play(SHORT)
    env.reset()
    facts = env.facts()
    assert "focus on" in facts["progress"]
    assert facts["objects"]["name"] == "universe"


def test_variations_and_splits_are_those_of_the_package() -> None:
    machine = lend(program())
    assert list(machine.call("getTaskNames")) == list(types.VARIATIONS)
    assert {name: machine.call("getTaskMaxVariations", name) for name in types.VARIATIONS} == types.VARIATIONS
    for name in ("boil", "identify-life-stages-2", "lifespan-longest-lived", "use-thermometer"):
        machine.call("load", name, 0, "", False)
        for split, method in (("train", "Train"), ("dev", "Dev"), ("test", "Test")):
            assert list(machine.call(f"getVariations{method}")) == list(types.split_variations(name, split))
    give_back(machine)


def test_splits_hold_every_task_once() -> None:
    ids = [task.id for split in types.SPLITS for task in tasks(split)]
    assert len(ids) == len(set(ids)) == 7207
    with pytest.raises(UsageError, match="did you mean 'test'"):
        tasks("tests")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"task": "boyl"}, "did you mean 'boil'"),
        ({"task": "boil", "variation": 30}, "they go from 0 to 29"),
        ({"task": "boil", "variation": True}, "variation True"),
        ({"task": "boil", "simplifications": "eazy"}, "did you mean 'easy'"),
        ({"task": "boil", "simplifications": None}, "parted by commas"),
        ({"task": "power-component", "simplifications": "openDoors,noElectricalAction"}, "about electricity"),
        ({"task": "boil", "variaton": 1}, "no setting 'variaton'"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ScienceWorldEnv(Task(env=ENV, id="x", settings=settings))


def test_commands_are_one_printable_line() -> None:
    assert clean("  open\tdoor\r\nto\x00 kitchen ") == "open door to kitchen"
    assert len(clean("x" * 100_000)) == MAX_COMMAND
    assert clean("a \ud800 b") == "a b"


def test_every_check_of_the_conformance_kit_passes(plugins: Plugins) -> None:
    name = "find-non-living-thing"
    report = asyncio.run(check_environment(plugins, ENV, task_of(name, 225, "test").id))
    assert {c.name for c in report.checks if c.result != "passed"} == {"gold-anywhere", "snapshots", "consistent"}


@pytest.mark.parametrize(
    ("suite", "number", "panel"),
    [
        (suites.easy_smoke, 5, "4fb75b72b226d1d7"),
        (suites.easy_dev, 60, "2f45c7982c8c9d97"),
        (suites.easy_test, 271, "6d89bf1c686dc3b0"),
        (suites.smoke, 5, "d896ee4a247ca478"),
        (suites.dev, 60, "2d65b1b77311ae5c"),
        (suites.test, 271, "cb19677b714e339e"),
    ],
)
def test_suites_are_frozen(suite: Callable[[], Any], number: int, panel: str) -> None:
    assert len(suite().tasks) == number
    assert suite().panel[:16] == panel
