"""The users: what they say to an agent's words, by rules or through a model."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from cornerman.dialogue import Said, UserMessage
from cornerman_plugins.users.llm import BEGIN, LLMUser
from cornerman_plugins.users.person import first_person
from cornerman_plugins.users.requests import asked, written
from cornerman_plugins.users.scenario import read, told
from cornerman_plugins.users.scripted import GO_ON, STOP, UNKNOWN, YES, ScriptedUser

SCENARIO = {
    "persona": None,
    "instructions": {
        "domain": "telecom",
        "reason_for_call": "Your mobile data is slow.",
        "known_info": "Your name is John Smith.\nYour phone number is 555-123-2002.",
        "unknown_info": "You do not know your account id.",
        "task_instructions": "You are patient.",
    },
}
TOOLS = [
    {"name": "toggle_data", "parameters": {"type": "object", "properties": {}}},
    {
        "name": "set_network_mode",
        "parameters": {"properties": {"mode": {"type": "string", "enum": ["4g", "5g"]}}, "required": ["mode"]},
    },
]


def talk(*lines: str, tools: Any = None) -> UserMessage:
    """A message at the end of a dialogue; lines are `agent: …`, `user: …` or `tool: …`."""
    said = [Said(role=role, content=text) for role, _, text in (line.partition(": ") for line in lines)]  # type: ignore[arg-type]
    return UserMessage(message=said[-1].content if said else "", dialogue=tuple(said), scenario=SCENARIO, tools=tools)


def say(*lines: str, tools: Any = None) -> str:
    """What the scripted user answers."""
    view: Any = None
    return ScriptedUser().reply_as_user(view, talk(*lines, tools=tools))


def test_it_opens_with_its_reason_and_what_it_knows() -> None:
    opening = (
        "Hello. This is what I need: My mobile data is slow. My name is John Smith. My phone number is 555-123-2002."
    )
    assert say() == opening
    assert say("agent: Hi! How can I help you today?") == opening


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("What is your phone number?", "My phone number is 555-123-2002."),
        ("May I have your full name, please?", "My name is John Smith."),
        ("Please provide your account id.", "I do not know my account id."),
        ("What is your favourite colour?", UNKNOWN),
        ("I will refuel 2 GB for $4. Do you confirm (yes/no)?", YES),
        ("Shall I go on with that?", YES),
        ("I am looking into it.", GO_ON),
        ("Everything is done. What you asked for: 12.50. Goodbye.", STOP),
        ("Is there anything else that I should confirm?", STOP),
        ("Your issue has been resolved.", STOP),
    ],
)
def test_it_answers_by_the_first_rule_that_fits(words: str, reply: str) -> None:
    assert say("agent: Hello!", "user: My data is slow.", f"agent: {words}") == reply


def test_the_same_answer_a_third_time_ends_the_talk() -> None:
    lines = ["user: Hello.", "agent: Hm.", f"user: {GO_ON}", "agent: Hm."]
    assert say(*lines) == GO_ON
    assert say(*lines, f"user: {GO_ON}", "agent: Hm.") == STOP


def test_it_uses_the_tools_that_it_is_asked_to_and_tells_what_came_of_it() -> None:
    lines = ["user: Hello.", "agent: Please toggle_data and set_network_mode(mode='5g')."]
    first = say(*lines, tools=TOOLS)
    assert json.loads(first) == {"name": "toggle_data", "arguments": {}}
    lines += [f"user: {first}", "tool: Data is ON."]
    second = say(*lines, tools=TOOLS)
    assert json.loads(second) == {"name": "set_network_mode", "arguments": {"mode": "5g"}}
    lines += [f"user: {second}", "tool: Mode is 5g."]
    assert say(*lines, tools=TOOLS) == "I used toggle_data: Data is ON. I used set_network_mode: Mode is 5g."


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        ('Please use set_network_mode now: {"name": "set_network_mode", "arguments": {"mode": "4g"}}', {"mode": "4g"}),
        ('Call set_network_mode with {"mode": "5g"}.', {"mode": "5g"}),
        ("Could you set network mode to 4G?", {"mode": "4g"}),
        ('set_network_mode(mode="3g")', {"mode": "3g"}),
        ("Set network mode, please.", None),
        ("Reset_network_modes", None),
        ('{"name": "delete_all", "arguments": {}}', None),
        ('{"name": "set_network_mode", "arguments": [', None),
    ],
)
def test_calls_are_read_from_words(words: str, calls: Any) -> None:
    assert [c["arguments"] for c in asked(words, TOOLS)] == ([] if calls is None else [calls])


def test_a_scenario_may_have_any_form() -> None:
    assert read("I want a refund. Now!").known == ("I want a refund.", "Now!")
    assert read({"who": "Ann.", "facts": ["Order 5.", "Red."]}).known == ("Ann.", "Order 5.", "Red.")
    assert read(None) == read({}) == ("", (), ())
    assert ScriptedUser().reply_as_user(None, UserMessage()) == "Hello."  # type: ignore[arg-type]
    assert told(SCENARIO).startswith("Domain:\ntelecom\n\nReason for call:\nYour mobile data is slow.")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("You are Yusuf Rossi in 19122.", "I am Yusuf Rossi in 19122."),
        ("You received your order; the lamp is yours.", "I received my order; the lamp is mine."),
        ("If you have it, have it sent to you.", "If I have it, have it sent to me."),
        ("Young Youssef", "Young Youssef"),
    ],
)
def test_it_speaks_of_itself(told: str, said: str) -> None:
    assert first_person(told) == said


class View:
    """A view whose model says one thing and keeps what it was asked."""

    def __init__(self, text: str) -> None:
        self.text, self.asked = text, {}
        self.model = self

    async def generate(self, messages: Any, **options: Any) -> Any:
        self.asked = {"messages": messages, **options}
        return SimpleNamespace(text=self.text)


def test_a_model_plays_the_scenario_and_speaks_as_the_assistant() -> None:
    view: Any = View("  My number is 555-123-2002. \n")
    lines = ["agent: Hi!", "user: Hello.", 'user: {"name": "toggle_data"}', "tool: ON", "agent: Your number?"]
    reply = asyncio.run(LLMUser().reply_as_user(view, talk(*lines, tools=TOOLS)))
    assert reply == "My number is 555-123-2002."
    system, *chat = view.asked["messages"]
    assert [w for w in ("###STOP###", "555-123-2002", "toggle_data") if w not in system.content] == []
    assert [m.role for m in chat] == ["user", "assistant", "user"]
    assert chat[-1].content == "Result of your tool: ON\n\nYour number?"
    assert (view.asked["temperature"], view.asked["max_tokens"]) == (0.0, 256)


def test_a_model_that_opens_is_told_to() -> None:
    view: Any = View("Hi")
    asyncio.run(LLMUser(temperature=0.5).reply_as_user(view, talk()))
    system, chat = view.asked["messages"]
    assert (chat.role, chat.content, view.asked["temperature"]) == ("user", BEGIN, 0.5)
    assert "You can use these tools" not in system.content


def test_a_call_within_a_models_words_is_the_whole_reply() -> None:
    text = 'Sure: ```json\n{"name": "set_network_mode", "arguments": {"mode": "5g"}}\n```'
    reply = asyncio.run(LLMUser().reply_as_user(View(text), talk("agent: Go.", tools=TOOLS)))  # type: ignore[arg-type]
    assert json.loads(reply) == {"name": "set_network_mode", "arguments": {"mode": "5g"}}
    assert written("no call", TOOLS) is None


@pytest.mark.parametrize("options", [{"temperature": -1.0}, {"max_tokens": 0}])
def test_values_that_make_no_sense_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match="at least"):
        LLMUser(**options)
