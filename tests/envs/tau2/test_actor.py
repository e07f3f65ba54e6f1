"""Episodes through the engine: a language model on a ticket, and gold with the users of the suites."""

from __future__ import annotations

import asyncio
import json

from tests.envs.tau2.playing import made, task_of
from tests.support.play import InlineSessions, catalogue, method, play
from tests.support.scripted_model import ScriptedModel

from cornerman.engine.context import Bench
from cornerman.engine.episode import run_episode
from cornerman.records import Episode
from cornerman.suites import Rules
from cornerman_envs.tau2.data import text_of
from cornerman_envs.tau2.episode import GREETING
from cornerman_envs.tau2.suites import RULES, full_llm, smoke


def test_llm_react_wins_with_the_answer() -> None:
    env = made("telecom-solo", 57)
    opening, info = env.reset()
    plan = env.gold() or []
    model = ScriptedModel([f"Thought: next\nAction: {action}" for action in plan])
    actor = {"use": "llm-react", "model": "scripted"}
    critic = {"use": "cast", "model": "critic"}
    judge = ScriptedModel(lambda messages: "")
    episode = play(
        catalogue(),
        task_of("telecom-solo", 57),
        rules=RULES,
        model=lambda uri: judge if uri == "critic" else model,
        actor=actor,
        critic=[critic],
    )
    assert (episode.error, episode.success, episode.score) == (None, True, 1.0)
    assert [turn.executed for turn in episode.attempts[0].turns] == plan
    system, user = model.asked[0].messages
    policy = info["policy"].strip()
    assert policy in opening in user.content
    assert policy not in system.content
    asked = judge.asked[0].messages
    assert asked[0].content.endswith("The agent must keep the rules that its task begins with.")
    assert policy.splitlines()[-1] in asked[1].content
    lines = system.content.splitlines()
    assert all(json.dumps(tool["name"]) in "\n".join(lines) for tool in info["tools"])


def talk(setting: str, number: int, rules: Rules, model: ScriptedModel | None = None) -> Episode:
    """One episode of the actor `gold` with the user of the rules."""
    registry = catalogue()
    made_of = method(registry, rules, {"user": "scripted"}, actor={"use": "gold"})
    bench = Bench(sessions=InlineSessions(registry), model=lambda uri: model)
    return asyncio.run(run_episode(bench, task_of(setting, number), made_of, rules, 0))


def test_the_scripted_user_uses_the_tools_that_gold_asks_it_to_use() -> None:
    episode = talk("telecom", 57, smoke("telecom").rules)
    assert (episode.error, episode.success, episode.score) == (None, True, 1.0)
    attempt = episode.attempts[0]
    assert [reply.message for reply in attempt.opening_user] == [GREETING]
    pay = next(turn for turn in attempt.turns if "make_payment" in (turn.executed or ""))
    assert [json.loads(reply.text)["name"] for reply in pay.user[:-1]] == ["make_payment"]


def test_a_models_user_is_told_its_instruction_and_ends_the_conversation() -> None:
    model = ScriptedModel(["I want to exchange two things.", "Thanks. ###STOP###"])
    episode = talk("retail", 24, full_llm("retail").rules, model)
    assert (episode.error, episode.success) == (None, True)
    scenario = json.loads(text_of("retail", task_of("retail", 24).settings["task"]))["user_scenario"]
    assert scenario["instructions"]["reason_for_call"].strip() in model.asked[0].messages[0].content
    assert [call.role for call in episode.calls] == ["user", "user"]
    assert "polyester" in model.asked[1].last
