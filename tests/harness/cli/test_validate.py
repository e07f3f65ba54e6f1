"""Gold must win a suite before anybody is measured on it: once a machine, and again when what plays it has changed."""

from __future__ import annotations

import pytest
from tests.support.command import PLUGIN, CommandLine

CHECKING = "cornerman: first use of count-smoke: checking that gold wins its 20 tasks"


def test_a_sound_suite(command: CommandLine) -> None:
    done = command("validate", "count-smoke", "--json")
    assert done.status == 0, done.err
    assert {k: done.json[k] for k in ("suite", "tasks", "won", "lost", "longest", "max_turns")} == {
        "suite": "count-smoke",
        "tasks": 20,
        "won": 20,
        "lost": [],
        "longest": 11,
        "max_turns": 40,
    }
    plain = command("validate", "count-smoke", "--limit", 3)
    assert "count-smoke[:3]: gold won 3 of 3 tasks (longest 3 turns, 40 allowed)" in plain.out


@pytest.mark.parametrize(
    ("suite", "task", "problem"),
    [
        ("count-unsound", "gold:wrong", "gold played 1 turns and did not win"),
        ("count-raises", "reset:raise", "test/Unruly-v1 raised at reset: RuntimeError: the counter broke"),
        ("count-dies", "step:die", "died at 'down 2' of task step:die: exit status 3"),
    ],
)
def test_an_unsound_suite(command: CommandLine, suite: str, task: str, problem: str) -> None:
    done = command("validate", suite, "--json")
    assert done.status == 1
    lost = {r["task"]: r["problem"] for r in done.json["lost"]}
    assert problem in lost[task]
    assert not any(t.startswith("sound") for t in lost)
    plain = command("validate", suite)
    assert plain.status == 1
    assert problem in plain.out


def test_a_run_validates_once_and_again_when_the_plug_in_file_has_changed(command: CommandLine) -> None:
    run = ("run", "--suite", "count-smoke", "--actor", "gold", "--name")
    assert CHECKING in command(*run, "a").err
    assert CHECKING not in command(*run, "b").err
    command.plugin = command.folder / "changed.py"
    command.plugin.write_text(PLUGIN.read_text() + "\n# another word\n")
    assert CHECKING in command(*run, "c").err
    assert CHECKING not in command(*run, "d", "--no-validate").err


def test_a_validation_by_hand_counts(command: CommandLine) -> None:
    assert command("validate", "count-smoke").status == 0
    assert "checking that gold wins" not in command("run", "--suite", "count-smoke", "--actor", "gold").err
    limited = command("run", "--suite", "count-smoke", "--actor", "gold", "--limit", 2)
    assert "first use of count-smoke[:2]: checking that gold wins its 2 tasks" in limited.err


def test_a_cache_that_cannot_be_written_is_no_obstacle(command: CommandLine) -> None:
    (command.folder / "cache").write_text("a file where a folder is due")
    done = command("run", "--suite", "count-smoke", "--actor", "gold")
    assert done.status == 0, done.err
    assert CHECKING in done.err


def test_environments_without_gold(command: CommandLine) -> None:
    said = command.refused("validate", "count-silent")
    assert said == "suite 'count-silent' cannot be validated: its environments know no gold actions"
    for suite in ("count-silent", "count-half-silent"):
        done = command("run", "--suite", suite, "--actor", "random")
        assert done.status == 0, done.err
    done = command("validate", "count-half-silent", "--json")
    assert (done.status, done.json["tasks"]) == (0, 1)
