"""Telecom tickets, solved by an agent alone."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from typing import Any

import gymnasium
import msgspec
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from tests.envs.tau2.playing import call, made, task_of

from cornerman.environment import MAX_TEXT
from cornerman.errors import UsageError
from cornerman.records import Task
from cornerman_envs.tau2.data import text_of
from cornerman_envs.tau2.env import Tau2Env
from cornerman_envs.tau2.episode import OVER
from cornerman_envs.tau2.spec import SETTINGS
from cornerman_envs.tau2.suites import SMOKE

SOLO = "telecom-solo"
DONE = call("done")
HOSTILE = [
    "",
    "Please reboot your phone.",
    "[]",
    "{",
    "[" * MAX_TEXT,
    '{"name": "\\ud83d"}',
    '{"name": null}',
    call("__class__"),
    call("db"),
    call("assert_mobile_data_status", expected_status=True),
    call("set_user_info", name="x", phone_number="y"),
    call("_reboot_device"),
    call("get_customer_by_phone"),
    call("get_customer_by_phone", phone_number={"a": [1]}),
    call("get_customer_by_phone", tool_name="refuel_data", requestor="user", self=1),
    call("refuel_data", customer_id="C1001", line_id="L1002", gb_amount="x" * 1000),
    call("refuel_data", customer_id="C1001", line_id="L1002", gb_amount=[1, 2]),
    call("set_network_mode_preference", mode="打开门"),
]


def play(env: Tau2Env, actions: list[str]) -> list[Any]:
    """What was answered from the beginning on."""
    return [env.reset(), *(env.step(action) for action in actions)]


def test_gold_wins() -> None:
    for task in SETTINGS[SOLO].tasks()[::6]:
        env = Tau2Env(task, "telecom", solo=True)
        env.reset()
        answers = [env.step(action) for action in env.gold() or []]
        assert [a[2] for a in answers] == [False] * (len(answers) - 1) + [True], task.id
        assert answers[-1][-1]["success"], task.id
        assert [a[1] for a in answers] == [0.0] * (len(answers) - 1) + [1.0], task.id


@pytest.mark.parametrize("number", SMOKE[SOLO])
def test_gold_is_a_script_from_which_reading_does_not_lead_away(number: int) -> None:
    env = made(SOLO, number)
    _, info = env.reset(seed=3)
    assert (info["success"], info["score"]) == (False, 0.0)
    plan = env.gold() or []
    for i, action in enumerate(plan):
        env.step(call("get_customer_by_phone", phone_number="555-123-2002"))
        env.step("{")
        assert env.gold() == plan[i:]
        env.step(action)
        if i == 5:
            break
    assert env.gold() == plan[6:]


def test_a_change_off_the_script_ends_it() -> None:
    env = made(SOLO, 0)
    env.reset()
    env.step(call("toggle_data"))
    assert env.gold() is None


def test_nothing_done_fails_and_says_by_which_check() -> None:
    env = made(SOLO, 0)
    env.reset()
    observation, reward, terminated, truncated, info = env.step(DONE)
    assert (observation, reward, terminated, truncated, info["success"]) == (OVER, 0.0, True, False, False)
    assert env.facts()["checks"] == {"ENV_ASSERTION": False}
    assert env.gold() is None
    assert env.step(DONE)[0] == OVER


def test_a_transfer_counts_whatever_its_summary() -> None:
    env = made(SOLO, 43)
    env.reset()
    assert env.facts()["checks"] == {"ENV_ASSERTION": True, "ACTION": False}
    env.step(call("transfer_to_human_agents", summary="in words of my own"))
    assert env.step(DONE)[-1]["success"]


def test_policy_and_ticket_open_the_first_observation() -> None:
    env = made(SOLO, 0)
    observation, info = env.reset()
    assert info["policy"].strip() in observation
    assert observation.endswith(
        f"Ticket: {json.loads(text_of('telecom', task_of(SOLO, 0).settings['task']))['ticket']}"
    )
    assert "user" not in info
    names = [tool["name"] for tool in info["tools"]]
    assert {"enable_roaming", "toggle_airplane_mode", "done"} <= set(names)
    assert len(set(names)) == len(names)
    for tool in info["tools"]:
        assert set(tool) == {"name", "description", "parameters"}
        assert tool["parameters"]["type"] == "object"


@pytest.mark.parametrize("action", HOSTILE)
def test_hostile_actions_are_answered_and_change_nothing(action: str) -> None:
    env = made(SOLO, 0)
    env.reset()
    before = env._opened().world.hashes()
    observation, reward, terminated, truncated, _ = env.step(action)
    assert "rror" in observation or "Failed" in observation
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert env._opened().world.hashes() == before
    msgspec.json.encode(env.facts())


def test_ten_errors_fail_what_was_reached() -> None:
    env = made(SOLO, 0)
    env.reset()
    plan = env.gold() or []
    for action in plan[:-1]:
        env.step(action)
    for _ in range(9):
        assert env.step("{")[2:4] == (False, False)
    observation, reward, terminated, truncated, info = env.step("{")
    assert (reward, terminated, truncated, info["success"]) == (0.0, False, True, False)
    assert observation.endswith(f"10 errors are too many. {OVER}")
    assert env.facts()["checks"] == {"ENV_ASSERTION": True}
    assert env.gold() is None


def test_the_wheels_two_hundred_steps_are_a_hundred_and_one_calls() -> None:
    env = made(SOLO, 0)
    env.reset()
    for _ in range(100):
        assert not env.step(call("check_network_status"))[3]
    assert env.step(call("check_network_status"))[3]
    env.reset()
    for _ in range(100):
        env.step(call("check_network_status"))
    assert env.step(DONE)[2:4] == (False, True)


def test_several_calls_in_one_action_are_numbered() -> None:
    env = made(SOLO, 0)
    env.reset()
    calls = f"[{call('toggle_airplane_mode')}, {call('nothing')}]"
    first, second = env.step(calls)[0].split("\n2. ")
    assert first.startswith("1. Airplane Mode is now")
    assert second == "Error: Tool 'nothing' not found."


def test_new_bills_have_the_same_ids_every_time() -> None:
    shown = set()
    for _ in range(3):
        env = made(SOLO, 5)
        env.reset()
        env.step(call("refuel_data", customer_id="C1002", line_id="L1004", gb_amount=2.0))
        shown.add(env.step(call("get_bills_for_customer", customer_id="C1002"))[0])
    [bills] = shown
    assert "B00000" in bills


def test_two_instances_share_nothing() -> None:
    one, two = made(SOLO, 0), made(SOLO, 0)
    fresh = [two.reset(), two.facts()]
    _, info = one.reset()
    info["tools"].clear()
    for action in one.gold() or []:
        one.step(action)
    assert [two.reset(), two.facts()] == fresh
    again = made(SOLO, 0)
    assert [again.reset(), again.facts()] == fresh


def test_interleaved_episodes_answer_as_alone() -> None:
    numbers = SMOKE[SOLO]
    envs = {n: made(SOLO, n) for n in numbers}
    plans: dict[int, list[str]] = {}
    for n, env in envs.items():
        env.reset()
        plans[n] = env.gold() or []
    alone = {n: play(envs[n], plans[n]) for n in numbers}
    together: dict[int, list[Any]] = {n: [envs[n].reset()] for n in numbers}
    for i in range(max(map(len, plans.values()))):
        for n in numbers:
            if i < len(plans[n]):
                together[n].append(envs[n].step(plans[n][i]))
    assert together == alone


def test_another_process_answers_the_same_and_nothing_global_is_touched(tmp_path: Any) -> None:
    env = made(SOLO, 57)
    env.reset()
    plan = env.gold() or []
    script = (
        "import json, os, random, sys\n"
        "import numpy as np\n"
        "from tests.envs.tau2.playing import made\n"
        "random.seed(1); np.random.seed(1)\n"
        "def state(): return random.getstate(), np.random.get_state()[1].tolist(), list(sys.path), dict(os.environ)\n"
        "before = state()\n"
        "env = made('telecom-solo', 57)\n"
        "answers = [env.reset(seed=5)[0], *(env.step(a)[0] for a in json.loads(sys.argv[1]))]\n"
        "assert 'tau2.environment.environment' in sys.modules and 'litellm' not in sys.modules\n"
        "assert before == state()\n"
        "print(json.dumps(answers))\n"
    )
    (tmp_path / ".env").write_text("CORNERMAN_SHOULD_NOT_SEE=1\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(plan)],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout) == [answer[0] for answer in play(env, plan)]
    assert "No .env" not in done.stderr


def test_generators_stay_as_they_were_in_play() -> None:
    before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    env = made(SOLO, 5)
    env.reset()
    env.step(call("refuel_data", customer_id="C1001", line_id="L1002", gb_amount=2.0))
    assert before == (random.getstate(), np.random.get_state()[1].tolist())  # type: ignore[index]


def test_contract_of_gymnasium() -> None:
    check_env(made(SOLO, 0), skip_render_check=True)
    with pytest.raises(gymnasium.error.ResetNeeded):
        made(SOLO, 0).step("look")


def test_a_wrong_task_is_one_sentence() -> None:
    good = task_of(SOLO, 0)
    for task, match in (
        (Task(env=good.env, id="x"), "setting task"),
        (Task(env=good.env, id="x", settings={"task": good.settings["task"][:-1]}), "did you mean"),
        (msgspec.structs.replace(good, data="0" * 64), "another"),
    ):
        with pytest.raises(UsageError, match=match):
            Tau2Env(task, "telecom", solo=True)
