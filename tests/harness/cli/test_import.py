"""`cornerman import`: traces of other harnesses become runs to read, and to ask critics about."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.command import CommandLine, Done

from cornerman.errors import End
from cornerman.records import Episode
from cornerman.store import latest

Inside = Callable[..., Done]

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Where is Ada?"}, {"type": "image_url"}]},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [{"function": {"name": "find", "arguments": '{"who": "Ada"}'}}],
    },
    {"role": "tool", "content": "kitchen"},
    {"role": "assistant", "content": "In the kitchen."},
]
CALL = '{"name":"find","arguments":{"who":"Ada"}}'
MINT = {
    "task": {"task_id": "7", "task_name": "hotpotqa"},
    "state": {
        "history": [
            {"role": "user", "content": "Task: who?"},
            {"role": "assistant", "content": "<execute>search</execute>"},
            {
                "role": "user",
                "content": "Observation:\nnothing\n\nExpert feedback:\nTry the other name.\nReally.\n\n"
                "You have 3 steps left and 1 chances to propose solution left.",
            },
            {"role": "assistant", "content": "<solution>Bob</solution>"},
        ],
        "success": True,
    },
}
TAU2 = {
    "info": {"environment_info": {"policy": "Never refund."}},
    "tasks": [],
    "simulations": [
        {
            "task_id": 3,
            "trial": trial,
            "reward_info": {"reward": reward},
            "messages": [
                {"role": "assistant", "content": "Hi!"},
                {"role": "user", "content": "My phone is dead."},
                {"role": "assistant", "content": None, "tool_calls": [{"name": "look_up", "arguments": {"id": 1}}]},
                {"role": "tool", "content": "a line", "requestor": "assistant"},
                {"role": "assistant", "content": "Restart it."},
                {"role": "user", "tool_calls": [{"name": "restart", "arguments": {}}]},
                {"role": "tool", "content": "restarted", "requestor": "user"},
                {"role": "user", "content": "It works."},
            ],
        }
        for trial, reward in ((0, 1.0), (1, 0.0))
    ],
}


def imported(command: CommandLine, inside: Inside, kind: str, text: str) -> list[Episode]:
    """The episodes of a file."""
    (command.folder / "traces").write_text(text, encoding="utf-8")
    done = inside("import", kind, "traces", "--name", "them")
    assert done.status == 0, done.err
    return list(latest(command.folder / "runs" / "them").values())


def turns(episode: Episode) -> list[tuple[str | None, str]]:
    """Actions and observations."""
    return [(t.executed, t.observation) for t in episode.attempts[0].turns]


def test_chat_messages(command: CommandLine, inside: Inside) -> None:
    rows = [{"id": "a", "messages": CHAT, "score": 0.5}, CHAT, {"id": "a", "messages": CHAT, "success": True}]
    first, bare, second = imported(command, inside, "messages", "\n".join(map(json.dumps, rows)) + "\n\n")
    assert [e.key for e in (first, bare, second)] == [
        ("a", "imported", 0),
        ("line-2", "imported", 0),
        ("a", "imported", 1),
    ]
    attempt = first.attempts[0]
    assert (attempt.goal, attempt.opening) == ("Be brief.", "Where is Ada?\n[image_url]")
    assert turns(first) == [(CALL, "kitchen"), ("In the kitchen.", "")]
    assert attempt.turns[0].candidates[0].thought == "I look."
    assert {t.origin for t in attempt.turns} == {"synthetic"}
    assert [(e.success, e.score, e.end) for e in (first, bare, second)] == [
        (False, 0.5, End.FAILURE),
        (False, 0.0, End.TRUNCATED),
        (True, 1.0, End.SUCCESS),
    ]


def test_tau2_results_are_read_from_the_agent_s_side(command: CommandLine, inside: Inside) -> None:
    won, lost = imported(command, inside, "tau2", json.dumps(TAU2))
    assert [(e.task.id, e.trial, e.success) for e in (won, lost)] == [("3", 0, True), ("3", 1, False)]
    assert won.attempts[0].goal == "Never refund."
    assert turns(won) == [
        ("Hi!", "My phone is dead."),
        ('{"name":"look_up","arguments":{"id":1}}', "a line"),
        ("Restart it.", "It works."),
    ]


def test_mint_feedback_is_a_delivered_critique(command: CommandLine, inside: Inside) -> None:
    [episode] = imported(command, inside, "mint", json.dumps(MINT))
    first = episode.attempts[0].turns[0]
    [critique] = first.critiques
    assert (critique.critic, critique.moment, critique.delivered) == ("expert", "review_turn", True)
    assert critique.text == "Try the other name.\nReally."
    assert first.observation.startswith("Observation:\nnothing")
    assert "Expert feedback" not in first.observation
    assert "You have 3 steps left" in first.observation
    assert [(i.text, i.at) for i in episode.attempts[0].context] == [(critique.text, 1)]
    assert (episode.task.family, episode.success) == ("hotpotqa", True)


def test_an_imported_run_is_listed_read_compared_and_asked_about(command: CommandLine, inside: Inside) -> None:
    imported(command, inside, "mint", json.dumps(MINT))
    [row] = inside("list", "runs", "--json").json
    assert (row["recorded"], row["requested"], row["problem"]) == (1, 1, None)
    assert "expert in review_turn; delivered: Try the other name." in inside("show", "runs/them", "1").out
    assert inside("compare", "runs/them", "--json").json["methods"][0]["success_rate"] == 1.0
    asked = inside("ask", "summing-up", "runs/them", "1", "end", "--json").json
    assert asked["said"][0]["critiques"][0]["text"] == "The counter began at who?"
    assert (asked["source"], asked["remarks"]) == ("record", [])
    prompt = inside("ask", "asking", "runs/them", "1", "0", "--model", "critic=scripted:m", "--json").json
    assert prompt["said"][0]["calls"][0]["messages"][0]["content"].startswith("Observation:\nnothing")
    refused = inside("ask", "gold-advice", "runs/them", "1", "0")
    assert refused.status == 2
    assert "sees gold, which only the environment imported/mint knows" in refused.err
    (command.folder / "traces").write_text(json.dumps(MINT))
    again = inside("import", "mint", "traces", "--name", "them")
    assert (again.status, "runs/them is there already; choose another --name" in again.err) == (2, True)


BAD: dict[str, tuple[str, Any, str]] = {
    "no file": ("messages", None, "traces cannot be read: No such file"),
    "empty": ("messages", "", "traces holds no conversation"),
    "no JSON": ("messages", "{", "traces line 1: this is no JSON"),
    "no UTF-8": ("messages", b'{"id": "\xff"}', "traces line 1: this is no JSON"),
    "a lone surrogate": ("messages", '[{"role":"assistant","content":"\\ud800"}]', "traces line 1: this is no JSON"),
    "nested too deep": ("messages", "[" * 100_000, "traces line 1: it nests too deep"),
    "a number": ("messages", "5", "traces line 1: a JSON object was due, not a number"),
    "no messages": ("messages", "{}", "traces line 1, messages: a list was due, not null"),
    "no assistant": ("messages", json.dumps(CHAT[:2]), "traces line 1: no message is the assistant's"),
    "an odd role": ("messages", '[{"role": "king"}]', "message 0: the role is one of system, developer, user"),
    "an unhashable role": ("messages", '[{"role": ["user"]}]', "message 0: the role is one of system"),
    "an odd content": ("messages", '[{"role": "assistant", "content": 5}]', "message 0: a list was due, not a number"),
    "an odd call": ("messages", '[{"role": "assistant", "tool_calls": [{}]}]', "a tool call has no name"),
    "broken arguments": (
        "messages",
        '[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]',
        "message 0, arguments: this is no JSON",
    ),
    "a score out of range": ("messages", json.dumps({"messages": CHAT, "score": 7}), "from 0 to 1, not 7"),
    "an odd success": ("messages", json.dumps({"messages": CHAT, "success": "yes"}), "success is true or false"),
    "an odd id": ("messages", json.dumps({"id": "a\nb", "messages": CHAT}), "a task's id is a short printable text"),
    "no simulations": ("tau2", "{}", "a results file of tau2 has simulations"),
    "two of one trial": (
        "tau2",
        json.dumps({"simulations": [TAU2["simulations"][0]] * 2}),  # type: ignore[index]
        "task '3' has two conversations of trial 0",
    ),
    "a huge trial": (
        "tau2",
        json.dumps({"simulations": [{**TAU2["simulations"][0], "trial": 10**9}]}),  # type: ignore[index]
        "a trial is a number from 0",
    ),
    "no state": ("mint", '{"task": {"task_id": "1"}}', "traces line 1, state: a JSON object was due, not null"),
    "an unknown format": ("mnt", "", "unknown format 'mnt'; did you mean 'mint'"),
}


@pytest.mark.parametrize("case", BAD)
def test_hostile_files_are_one_sentence(command: CommandLine, inside: Inside, case: str) -> None:
    kind, text, sentence = BAD[case]
    if text is not None:
        (command.folder / "traces").write_bytes(text if isinstance(text, bytes) else text.encode())
    done = inside("import", kind, "traces", "--name", "them")
    assert done.status == 2, done
    assert sentence in done.err
    assert len(done.err.splitlines()) == 1
    assert not (command.folder / "runs" / "them").exists()


@pytest.mark.parametrize("name", ["../up", "", "a/b", ".hidden"])
def test_a_name_that_is_no_folder_s(command: CommandLine, inside: Inside, name: str) -> None:
    (command.folder / "traces").write_text(json.dumps(CHAT))
    done = inside("import", "messages", "traces", "--name", name)
    assert (done.status, "cannot be a folder's" in done.err) == (2, True)
