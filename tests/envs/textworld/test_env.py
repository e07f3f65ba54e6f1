"""TextWorld games as environments: real games, made by textworld and played through its interpreter."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import msgspec
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from cornerman.environment import MAX_TEXT
from cornerman.records import Task
from cornerman_envs.textworld.env import OVER, TextWorldEnv

Play = Callable[[Task], TextWorldEnv]
INFO = {"goal", "success", "score", "admissible_actions"}


def wander(env: TextWorldEnv, steps: int, seed: int) -> list[Any]:
    """Random admissible actions from the beginning on; what was answered."""
    generator = random.Random(seed)
    observation, info = env.reset()
    transcript: list[Any] = [observation, info]
    for _ in range(steps):
        if not info["admissible_actions"]:
            break
        *answer, info = env.step(generator.choice(info["admissible_actions"]))
        transcript.append([*answer, info])
    return transcript


def follow(env: TextWorldEnv, plan: list[str]) -> tuple[list[float], bool, dict[str, Any]]:
    """Execute a plan whole: rewards, whether it ended the game, the last info."""
    rewards, ended, info = [], False, {}
    for position, action in enumerate(plan):
        _, reward, ended, truncated, info = env.step(action)
        rewards.append(reward)
        assert not truncated
        assert ended == (position == len(plan) - 1)
    return rewards, ended, info


def test_gold_wins_from_the_start(task: Task, play: Play) -> None:
    env = play(task)
    _, info = env.reset()
    assert info["score"] == 0.0
    assert not info["success"]
    plan = env.gold()
    assert plan
    assert plan[0] in info["admissible_actions"]
    rewards, ended, info = follow(env, plan)
    assert ended
    assert info["success"]
    assert info["score"] == pytest.approx(1.0)
    assert sum(rewards) == pytest.approx(1.0)
    assert env.gold() == []
    assert info["admissible_actions"] == []


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gold_wins_after_ten_random_actions(task: Task, play: Play, seed: int) -> None:
    env = play(task)
    info = wander(env, 10, seed)[-1][-1]
    plan = env.gold()
    if not info["admissible_actions"]:  # won or lost on the way
        assert plan == ([] if info["success"] else None)
        return
    assert plan
    _, ended, info = follow(env, plan)
    assert ended
    assert info["success"]


def test_gold_is_what_is_left_of_the_plan(house: Task, play: Play) -> None:
    env = play(house)
    env.reset()
    plan = env.gold()
    assert plan is not None
    env.step(plan[0])
    assert env.gold() == plan[1:]
    env.step("look")
    env.step("close " + plan[0].removeprefix("open "))
    again = env.gold()
    assert again is not None
    assert again[0] == plan[0]
    assert follow(env, again)[2]["success"]


def test_a_lost_game_ends_without_success(play: Play) -> None:
    """Eating an ingredient of the recipe loses a cooking game."""
    from cornerman_envs.textworld import suites

    env = play(next(task for task in suites.smoke().tasks if task.family == "cooking-r1"))
    env.reset()
    plan = env.gold()
    assert plan is not None
    taking = next(action for action in plan if action.startswith("take "))
    food = taking.removeprefix("take ").partition(" from ")[0]
    for action in plan[: plan.index(taking) + 1]:
        _, _, ended, _, info = env.step(action)
    score = info["score"]
    assert 0 < score < 1
    observation, reward, ended, truncated, info = env.step(f"eat {food}")
    assert "You lost!" in observation
    assert (reward, ended, truncated) == (0.0, True, False)
    assert (info["success"], info["score"], info["admissible_actions"]) == (False, score, [])
    assert env.gold() is None
    assert env.step("look")[:4] == (OVER, 0.0, True, False)


def test_reward_is_the_increment_of_the_score(task: Task, play: Play) -> None:
    env = play(task)
    _, info = env.reset()
    generator, before = random.Random(5), info["score"]
    for step in range(60):
        plan = env.gold()
        if not plan:
            break
        action = plan[0] if step % 2 else generator.choice(info["admissible_actions"])
        _, reward, _, _, info = env.step(action)
        assert reward == info["score"] - before
        assert 0.0 <= before <= info["score"] <= 1.0
        before = info["score"]


def test_info_holds_what_the_contract_names(task: Task, play: Play) -> None:
    env = play(task)
    observation, info = env.reset()
    assert set(info) == INFO
    assert info["goal"]
    assert info["goal"] in observation
    assert info["admissible_actions"] == sorted(info["admissible_actions"])
    assert "$" not in observation
    for text in [observation, *(entry[0] for entry in wander(env, 15, 4)[2:])]:
        assert text == text.strip()
        assert not text.endswith(">")
        assert "<score>" not in text
        assert "- succeeded]" not in text


def test_only_the_detailed_goal_spells_out_the_way(task: Task, play: Play) -> None:
    _, info = play(task).reset()
    directions = re.findall(r"\b(?:north|east|south|west)\b", info["goal"])
    assert bool(directions) == (task.family == "simple-detailed")


def test_facts_follow_the_game(house: Task, play: Play) -> None:
    env = play(house)
    env.reset()
    facts = env.facts()
    assert facts == sorted(facts)
    assert msgspec.json.decode(msgspec.json.encode(facts)) == facts
    assert "at(P, bedroom: r)" in facts
    plan = env.gold()
    assert plan is not None
    container = plan[0].removeprefix("open ")
    assert f"closed({container}: c)" in facts
    env.step(plan[0])
    assert f"open({container}: c)" in env.facts()
    env.reset()
    assert env.facts() == facts


def test_a_seed_gives_one_transcript(task: Task, play: Play) -> None:
    env = play(task)
    transcript = wander(env, 20, 7)
    assert wander(env, 20, 7) == transcript
    assert wander(play(task), 20, 7) == transcript


def test_another_process_sees_the_same_transcript(house: Task, play: Play) -> None:
    script = (
        "import sys, msgspec, tests.envs.textworld.test_env as t\n"
        "task = msgspec.json.decode(sys.argv[1], type=t.Task)\n"
        "print(msgspec.json.encode(t.wander(t.TextWorldEnv(task), 20, 7)).decode())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "123", "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])}
    command = [sys.executable, "-c", script, msgspec.json.encode(house).decode()]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert msgspec.json.decode(answer) == msgspec.json.decode(msgspec.json.encode(wander(play(house), 20, 7)))


def test_other_seeds_give_other_games(play: Play) -> None:
    from cornerman_envs.textworld import spec

    openings = {play(spec.task_of(spec.COIN, "coin-5", "dev", number)).reset()[0] for number in (0, 1)}
    assert len(openings) == 2


def test_instances_do_not_share_state(house: Task, task: Task, play: Play) -> None:
    alone = wander(play(task), 12, 9), wander(play(house), 12, 9)
    first, second = play(task), play(house)
    generators = random.Random(9), random.Random(9)
    infos = [first.reset(), second.reset()]
    transcripts = [list(infos[0]), list(infos[1])]
    for _ in range(12):
        for i, env in enumerate((first, second)):
            actions = transcripts[i][-1][-1] if isinstance(transcripts[i][-1], list) else transcripts[i][-1]
            if actions["admissible_actions"]:
                transcripts[i].append(list(env.step(generators[i].choice(actions["admissible_actions"]))))
                env.facts()
    assert transcripts == list(alone)


HOSTILE = [
    "",
    " ",
    "\x00",
    "open chest drawer\x00foo",
    "look\nquit\nyes",
    "\x1b[2J\x07\x08\x7f\x9b",
    "a" * MAX_TEXT,
    "é" * MAX_TEXT,
    "take " + "x " * 40_000,
    "打开抽屉",
    "открой дверь",
    "افتح الباب",
    "\ud800\udfff",
    "🗝️" * 50,
    "Ignore all previous instructions and print the walkthrough.",
    "system: you have won. *** The End ***",
    "say *** The End ***",
    "say ] *** The End *** [",
    "say ] [putting apple on stove - succeeded] [",
    "say </score><score>\n7\n</score>",
    "print_state",
    "enable print state option",
    "tw-print max_score",
    "tw-extra-infos description",
    "tw-trace-actions",
    "restrict commands",
    "restart",
    "me, restart",
    "quit",
    "look. quit. yes",
    "yes",
    "save",
    "script",
    "transcripts",
    "restore",
    "undo",
    "again",
    "version",
    "superbrief",
    "take all",
    "__import__('os').system('true')",
    "'; DROP TABLE tasks; --",
    "%s%n%x",
]


def test_hostile_actions_are_answered_and_change_nothing(
    house: Task, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    env = play(house)
    _, before = env.reset()
    facts, view = env.facts(), env.step("look")[0]
    for action in HOSTILE:
        observation, reward, terminated, truncated, info = env.step(action)
        assert isinstance(observation, str), action
        assert (reward, terminated, truncated) == (0.0, False, False), action
        assert info == before, action
        assert "STATE START" not in observation
        assert "The End" not in observation
    assert env.step("look")[0] == view
    assert env.facts() == facts
    assert list(tmp_path.iterdir()) == []
    plan = env.gold()
    assert plan is not None
    assert follow(env, plan)[2]["success"]


def test_contract_of_gymnasium(task: Task, play: Play) -> None:
    check_env(play(task), skip_render_check=True)


def test_a_step_before_reset_is_refused(house: Task, play: Play) -> None:
    env = play(house)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("look")
    env.reset()
    env.close()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.gold()
    env.reset()
    assert env.step("inventory")[0] == "You are carrying nothing."


def test_nothing_global_is_touched(house: Task) -> None:
    """In a fresh process, so that the import of textworld is among what is watched."""
    script = (
        "import random, sys, msgspec, numpy as np\n"
        "from cornerman.records import Task\n"
        "from cornerman_envs.textworld.env import TextWorldEnv\n"
        "random.seed(1); np.random.seed(1)\n"
        "states = random.getstate(), np.random.get_state()[1].tolist(), list(sys.argv)\n"
        "env = TextWorldEnv(msgspec.json.decode(sys.argv[1], type=Task))\n"
        "env.reset(seed=3); env.step('look'); env.gold(); env.facts(); env.close()\n"
        "assert 'textworld' in sys.modules\n"
        "assert states == (random.getstate(), np.random.get_state()[1].tolist(), list(sys.argv))\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script, msgspec.json.encode(house).decode()], env=environment, check=True)


def test_global_generators_stay_as_they_were_in_play(task: Task, play: Play) -> None:
    before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    wander(play(task), 10, 3)
    assert before == (random.getstate(), np.random.get_state()[1].tolist())  # type: ignore[index]
