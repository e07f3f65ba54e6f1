"""TextWorld-Express as an environment: real games, played in the package's own simulator."""

from __future__ import annotations

import asyncio
import importlib
import random
from collections.abc import Callable
from typing import Any

import pytest

from cornerman.conformance.environment import check_environment
from cornerman.errors import EnvError, UsageError
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman_envs.java.lending import give_back, lend
from cornerman_envs.textworldexpress import suites
from cornerman_envs.textworldexpress.env import FOLDS, GAMES, OVER, TextWorldExpressEnv, clean
from cornerman_envs.textworldexpress.simulator import program
from cornerman_envs.textworldexpress.spec import ENV, PER_FOLD, SEEDS, task_of, tasks

Play = Callable[[Task], TextWorldExpressEnv]


@pytest.mark.parametrize("game", GAMES)
def test_gold_wins_by_listed_actions(game: str, play: Play) -> None:
    env = play(task_of(game, "dev", 3))
    _, info = env.reset()
    assert (info["score"], info["success"]) == (0.0, False)
    plan = env.gold()
    assert plan
    assert len(plan) <= suites.RULES.max_turns // 2
    total, ended = 0.0, False
    for position, action in enumerate(plan):
        assert action in info["admissible_actions"]
        assert env.gold() == plan[position:]
        _, reward, ended, truncated, info = env.step(action)
        total += reward
        assert not truncated
        assert ended == (position == len(plan) - 1)
    assert info["success"]
    assert info["score"] == total == pytest.approx(1.0)
    assert info["admissible_actions"] == env.gold() == []
    assert env.step("look around")[:3] == (OVER, 0.0, True)


def test_gold_is_the_same_each_time_and_leaves_the_game_where_it_was(play: Play) -> None:
    """The package's agent for this game walks at random, seeded by the time; ours do not."""
    asked, quiet = play(task_of("coin", "dev", 1)), play(task_of("coin", "dev", 1))
    assert asked.reset() == quiet.reset()
    plan = asked.gold()
    assert plan
    for action in plan[:-1]:
        assert asked.step(action) == quiet.step(action)
    assert quiet.gold() == plan[-1:]
    assert asked.step("look around") == quiet.step("look around")
    assert asked.gold() is None


def test_a_loss_ends_the_game_with_score_0(play: Play) -> None:
    env = play(task_of("simonsays", "dev", 0))
    _, info = env.reset()
    wrong = [action for action in info["admissible_actions"] if action != env.gold()[0]]
    _, reward, terminated, truncated, info = env.step(wrong[0])
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert (info["score"], info["success"]) == (0.0, False)
    assert env.gold() is None


def test_gold_gives_up_a_game_that_nobody_can_win(play: Play) -> None:
    """There are two cucumbers, one of them wrong, and the command takes that one."""
    env = play(task_of("peckingorder", "dev", 22))
    env.reset()
    assert env.gold() is None


def test_the_seed_of_a_reset_makes_the_game(play: Play) -> None:
    env, other = play(task_of("cookingworld", "train", 0)), play(task_of("cookingworld", "train", 7))
    first, seventh = env.reset(), other.reset()
    assert first != seventh
    assert env.gold() != other.gold()
    assert env.reset(seed=7) == seventh
    assert env.gold() == other.gold()
    assert env.reset() == first


@pytest.mark.parametrize("game", ["twc", "mapreader", "arithmetic"])
def test_it_answers_as_the_package_does(game: str, play: Play, stock: Any) -> None:
    env = play(task_of(game, "test", 2))
    observation, info = env.reset()
    stock.load(gameName=game, gameParams="")
    theirs, shown = stock.reset(seed=20_002, gameFold="test")
    assert (observation, info["admissible_actions"]) == (theirs, sorted(shown["validActions"]))
    assert info["goal"] == shown["taskDescription"].strip()
    generator = random.Random(game)
    for _ in range(40):
        action = generator.choice([*info["admissible_actions"], "dance"])
        observation, _, terminated, _, info = env.step(action)
        theirs, _, done, shown = stock.step(action)
        assert observation == theirs
        assert info["score"] == max(shown["score"], 0)
        assert (terminated, info["success"]) == (done, shown["tasksuccess"])
        if done:
            break
        assert info["admissible_actions"] == sorted(shown["validActions"])


@pytest.fixture(scope="module")
def stock() -> Any:
    """The package's own class, whose machine is ended for sure."""
    env = importlib.import_module("textworld_express").TextWorldExpressEnv(envStepLimit=100)
    yield env
    env._gateway.java_process.kill()
    env._gateway.java_process.wait()
    env._obj_tree_tempfile.close()


def test_parameters_reach_the_generator(play: Play) -> None:
    settings = {"game": "coin", "fold": "test", "parameters": "numLocations=3,numDistractorItems=0,includeDoors=0"}
    env = play(Task(env=ENV, id="x", settings=settings))
    env.reset()
    assert env.facts()["properties"]["numLocations"] == 3
    wrong = play(Task(env=ENV, id="x", settings={**settings, "parameters": "rooms=3"}))
    with pytest.raises(EnvError, match=r"Unrecognized property name \(rooms\)\.  Known properties: numLocations"):
        wrong.reset()


def test_games_and_folds_are_those_of_the_package() -> None:
    machine = lend(program())
    assert tuple(machine.call("getGameNames")) == GAMES
    machine.call("load", "coin", "")
    for fold, method in zip(FOLDS, ("Train", "Dev", "Test"), strict=True):
        assert list(machine.call(f"getSeeds{method}")) == [task.seed for task in tasks(fold)[:PER_FOLD]]
    give_back(machine)
    assert set(SEEDS) == set(FOLDS)
    with pytest.raises(UsageError, match="did you mean 'dev'"):
        tasks("devel")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"game": "coins"}, "did you mean 'coin'"),
        ({}, "no game None"),
        ({"game": "coin", "fold": "valid"}, "no fold 'valid'"),
        ({"game": "coin", "parameters": {"numLocations": 3}}, "it takes text such as"),
        ({"game": "coin", "folds": "dev"}, "did you mean 'fold'"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        TextWorldExpressEnv(Task(env=ENV, id="x", settings=settings))


def test_commands_are_one_printable_line() -> None:
    assert clean("  open\tdoor\r\nto\x00 north ") == "open door to north"


def test_every_check_of_the_conformance_kit_passes(plugins: Plugins) -> None:
    report = asyncio.run(check_environment(plugins, ENV, task_of("mapreader", "dev", 0).id))
    assert {c.name for c in report.checks if c.result != "passed"} == {"gold-anywhere", "snapshots", "consistent"}


@pytest.mark.parametrize(
    ("suite", "number", "panel"),
    [
        (suites.smoke, 5, "2f209e517d0039e2"),
        (suites.dev, 48, "a0e29b0bfb1d55ad"),
        (suites.test, 200, "1c1f65390d01cfd0"),
    ],
)
def test_suites_are_frozen(suite: Callable[[], Any], number: int, panel: str) -> None:
    assert len(suite().tasks) == number
    assert suite().panel[:16] == panel
