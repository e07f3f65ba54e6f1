"""Suites whose environment talks to a user, from the command line: validate, run, resume, replay and play."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import CommandLine
from tests.support.desk import ASK

from cornerman.store import EPISODES, latest

DESK = Path(__file__).parents[2] / "support" / "desk.py"


@pytest.fixture
def desk(command: CommandLine) -> CommandLine:
    """The command line with the desk in place of the countdown."""
    command.plugin = DESK
    return command


def lines(folder: Path) -> list[Any]:
    """A run's records without what a clock said."""
    text = [json.loads(line) for line in (folder / EPISODES).read_text().splitlines()]

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k not in ("seconds", "queue_seconds")}
        return [strip(v) for v in value] if isinstance(value, list) else value

    return sorted(map(strip, text), key=lambda e: (e["task"]["id"], e["method"]))


def test_a_run_with_a_user_goes_on_after_a_kill_and_replays_without_it(desk: CommandLine) -> None:
    won = desk("validate", "desk-smoke", "--json")
    assert (won.status, won.json["won"], won.json["longest"]) == (0, 3, 2), won.err
    run = ("run", "--suite", "desk-smoke", "--actor", "gold", "--name", "first", "--json")
    done = desk(*run)
    assert done.status == 0, done.err
    assert done.json["methods"][0]["successes"] == 3
    folder = desk.folder / "runs" / "first"
    whole = lines(folder)
    kept = (folder / EPISODES).read_bytes().splitlines(keepends=True)
    (folder / EPISODES).write_bytes(kept[0] + kept[1][: len(kept[1]) // 2])  # as a kill leaves it
    assert desk(*run).status == 0
    assert lines(folder) == whole
    [user] = {tuple(e["replies"]) for w in whole for e in w["attempts"][0]["log"] if "replies" in e}
    assert user == ('{"name": "press", "arguments": {}}', "I used press: The lamp is on.")
    replayed = desk("replay", folder, "--json")
    assert (replayed.status, replayed.json["attempts"], replayed.json["differ"]) == (0, 3, [])


def test_a_suite_without_the_user_that_it_needs_is_refused(desk: CommandLine) -> None:
    for arguments in (
        ("validate", "desk-nobody"),
        ("run", "--suite", "desk-nobody", "--actor", "gold"),
        ("play", "Desk-v1", "--suite", "desk-nobody"),
    ):
        done = desk(*arguments)
        assert done.status == 2
        assert "test/Desk-v1 talks to a user, and the suite's rules name none" in done.complaint


def test_the_users_model_is_named_by_its_role_and_billed_to_it(desk: CommandLine) -> None:
    run = ("run", "--suite", "desk-talk", "--actor", "gold", "--json")
    missing = desk(*run)
    assert missing.status == 2
    assert "user 'llm-user' needs a model: add --model user=" in missing.complaint
    done = desk(*run, "--model", "user=customer", "--name", "talk")
    assert done.status == 0, done.err
    assert "gold is not checked on desk-talk, whose user is a model" in done.err
    [row] = done.json["methods"]
    assert (row["successes"], list(row["tokens"])) == (3, ["user"])
    assert desk("replay", desk.folder / "runs" / "talk").status == 0
    other = desk("run", "--suite", "desk-smoke", "--actor", "gold", "--model", "user=customer")
    assert other.status == 0, other.err
    assert desk("validate", "desk-talk", "--model", "user=customer").status == 0


def test_a_users_model_that_fails_ends_episodes_that_are_played_again(desk: CommandLine) -> None:
    run = ("run", "--suite", "desk-talk", "--actor", "gold", "--name", "talk", "--model")
    failed = desk(*run, "user=customer:x,fail=true")
    assert failed.status == 1
    folder = desk.folder / "runs" / "talk"
    assert {str(e.end) for e in latest(folder).values()} == {"model_error"}
    assert all(e.usage["user"].calls == 1 for e in latest(folder).values())


def test_a_person_plays_the_agent(desk: CommandLine) -> None:
    process = desk.start("play", "Desk-v1", stdin=subprocess.PIPE)
    out, err = process.communicate(f"{ASK}\nopen 7\n", timeout=100)
    assert process.returncode == 0, err
    assert "Customer: Hello. This is what I need: I want to get in. The code is 7." in out
    assert "Customer: I used press: The lamp is on." in out
    assert "Solved, after 2 turns. Score 1.00." in out
    other = desk.start("play", "Desk-v1", "--suite", "desk-talk", "--model", "user=customer", stdin=subprocess.PIPE)
    out, err = other.communicate("Hello?\n", timeout=100)
    assert other.returncode == 0, err
    assert "Customer: I heard 4 messages." in out
