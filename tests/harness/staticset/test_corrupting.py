"""Wrong candidates beside gold's own."""

from __future__ import annotations

import json
import random
from typing import Any

from cornerman.environment import Step
from cornerman.staticset.corrupting import TRIES, corruptions

TOOLS: list[dict[str, Any]] = [
    {"name": "pay", "parameters": {"properties": {"sum": {"type": "integer"}}, "required": ["sum"]}},
    {"name": "book", "parameters": {"properties": {"seat": {"enum": ["A", "B"]}}, "required": ["seat", "sum"]}},
    {"name": "look"},
]


def made(gold: str, **step: Any) -> list[str]:
    return corruptions(gold, Step("", **step), random.Random(3))


def test_other_actions_where_they_are_listed() -> None:
    found = made("go", admissible=("go", "stay", "turn"))
    assert sorted(found) == ["stay", "turn"]
    assert len(made("go", admissible=tuple(map(str, range(50))))) == TRIES


def test_another_tool_or_a_changed_argument() -> None:
    gold = {"name": "pay", "arguments": {"sum": 3}}
    found = [json.loads(text) for text in made(json.dumps(gold), tools=TOOLS)]
    assert gold not in found
    assert {call["name"] for call in found} == {"pay", "book", "look"}
    [paid] = [call for call in found if call["name"] == "pay"]
    assert paid["arguments"]["sum"] != 3
    [booked] = [call for call in found if call["name"] == "book"]
    assert booked["arguments"]["seat"] in ("A", "B")
    assert booked["arguments"]["sum"] == 3


def test_calls_that_need_no_made_up_argument_come_before_others() -> None:
    for seed in range(20):
        found = corruptions('{"name": "pay", "arguments": {"sum": 3}}', Step("", tools=TOOLS), random.Random(seed))
        names = [json.loads(text)["name"] for text in found]
        assert names.index("look") < names.index("book")
        assert names.index("pay") < 2


def test_one_call_of_a_list_is_changed_and_words_become_a_call() -> None:
    gold = [{"name": "pay", "arguments": {"sum": 3}}, {"name": "look", "arguments": {}}]
    for text in made(json.dumps(gold), tools=TOOLS):
        changed = json.loads(text)
        assert sum(a != b for a, b in zip(changed, gold, strict=True)) == 1
    assert {json.loads(text)["name"] for text in made("Done.", tools=TOOLS)} == {"pay", "book", "look"}


def test_nothing_where_there_is_nothing_to_choose_from() -> None:
    assert made("go") == []
    assert made("go", admissible=("go",)) == []
    assert made("[1, 2]", tools=TOOLS) == []
