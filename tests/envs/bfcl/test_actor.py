"""A language model's answers in a BFCL conversation, from the prompt to the verdict."""

from __future__ import annotations

import json

from tests.support.play import catalogue, play
from tests.support.scripted_model import ScriptedModel

from cornerman_envs.bfcl.env import GOAL, BFCLEnv
from cornerman_envs.bfcl.spec import task_of
from cornerman_envs.bfcl.suites import RULES


def test_llm_react_wins_with_the_answer() -> None:
    task = task_of("multi_turn_miss_func_79")
    env = BFCLEnv(task)
    opening, info = env.reset()
    plan = env.gold() or []
    model = ScriptedModel([f"Thought: next\nAction: {action}" for action in plan])
    actor = {"use": "llm-react", "model": "scripted"}
    episode = play(catalogue(), task, rules=RULES, model=lambda uri: model, actor=actor)
    assert (episode.error, episode.success, episode.score) == (None, True, 1.0)
    assert [turn.executed for turn in episode.attempts[0].turns] == plan
    system, user = model.asked[0].messages
    assert user.content == f"Task: {GOAL}\n\n{opening}"
    lines = system.content.splitlines()
    assert [json.loads(line) for line in lines[lines.index("Tools:") + 1 :]] == info["tools"]
