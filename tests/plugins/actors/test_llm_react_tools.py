"""`llm-react` where actions are tool calls."""

from __future__ import annotations

import itertools
import json
from typing import Any

from tests.support.countdown import Countdown
from tests.support.play import catalogue, play
from tests.support.scripted_model import Asked, ScriptedModel

from cornerman.environment import EnvironmentSpec, Info
from cornerman.records import Episode, Task
from cornerman.suites import Rules

DOWN = {"name": "down", "description": "Go “down”.", "parameters": {"type": "object", "properties": {"by": {}}}}
JUMP = {"name": "jump", "description": "All the way.", "parameters": {"type": "object", "properties": {}}}


class Tools(Countdown):
    """The countdown by calls of `down`, and of `jump` from 2 on."""

    def _info(self) -> Info:
        info = super()._info() | {"tools": [DOWN, JUMP] if self.n <= 2 else [DOWN]}
        del info["admissible_actions"]
        return info

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        try:
            call = json.loads(action)
        except ValueError:
            return super().step("no call")
        by = self.n if call["name"] == "jump" else call["arguments"]["by"]
        return super().step(f"down {by}")


SPEC = EnvironmentSpec(id="test/Tools-v1", make=lambda task: Tools(), light=True, seedable=False)


def react(replies: list[str]) -> tuple[Episode, list[Asked]]:
    registry = catalogue()
    registry.add("environment", SPEC.id, f"{__name__}:SPEC")
    model = ScriptedModel(replies)
    episode = play(
        registry,
        Task(env=SPEC.id, id="five"),
        rules=Rules(max_turns=len(replies)),
        model=lambda uri: model,
        actor={"use": "llm-react", "model": "scripted"},
    )
    assert episode.error is None
    return episode, model.asked


def call(tool: str, indent: int | None = None, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments}, indent=indent)


def test_calls_are_executed_as_written_and_shown_again() -> None:
    long = call("down", indent=2, by=2)
    replies = [f"Thought: go\nAction: {long}\nObservation: x", f"```json\n{call('down', by=1)}\n```", "Action: stop."]
    episode, asked = react(replies)
    turns = episode.attempts[0].turns
    assert [t.executed for t in turns] == [long, call("down", by=1), "stop."]
    assert [t.parsed for t in turns] == [True] * 3
    assert [t.observation for t in turns[:2]] == ["The counter shows 3.", "The counter shows 2."]
    assert asked[1].messages[2].content == f"Thought: go\nAction: {long}"


def test_the_system_message_lists_the_tools_one_a_line() -> None:
    _, asked = react([f"Action: {call('down', by=1)}"])
    lines = asked[0].messages[0].content.splitlines()
    at = lines.index("Tools:")
    assert json.loads(lines[at + 1]) == DOWN
    assert "“down”" in lines[at + 1]
    assert ": " not in lines[at + 1]
    assert len(lines) == at + 2
    assert not any("Tools:" in m.content for m in asked[0].messages[1:])


def test_the_prompt_grows_at_its_end_as_long_as_the_tools_stay() -> None:
    _, asked = react([f"Action: {call('down', by=1)}"] * 4)
    kept = [after.messages[: len(before.messages)] == before.messages for before, after in itertools.pairwise(asked)]
    assert kept == [True, True, False]
    assert asked[3].messages[0].content == f"{asked[2].messages[0].content}\n{json.dumps(JUMP, separators=(',', ':'))}"
    assert asked[3].messages[1 : len(asked[2].messages)] == asked[2].messages[1:]


def test_where_there_are_no_tools_nothing_is_said_of_them() -> None:
    model = ScriptedModel(["Action: wait"])
    play(catalogue(), rules=Rules(max_turns=1), model=lambda uri: model, actor={"use": "llm-react", "model": "s"})
    assert "ool" not in model.asked[0].messages[0].content
