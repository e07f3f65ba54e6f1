"""`cornerman play` in a pipe and on a terminal: what a person sees, types and is told."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest
from tests.support.command import CommandLine, Done

HOSTILE = '''
from typing import Any

import cornerman
from cornerman.environment import EnvironmentSpec
from tests.support.countdown import Countdown


class Hostile(Countdown):
    """Speaks in markup and terminal escapes."""

    def _info(self) -> dict[str, Any]:
        return super()._info() | {
            "goal": "[red]stop[/red] :warning:",
            "policy": "[link=http://x]y[/link]",
            "admissible_actions": ["down 1", "[bold]jump[/bold]"],
        }

    def step(self, action: str) -> Any:
        text, *rest = super().step(action)
        return ("[/] [blink]x \\x1b]0;title\\x07\\x1b[2J \\u202egnp.exe", *rest)


@cornerman.hookimpl
def register(registry: Any) -> None:
    spec = EnvironmentSpec(id="test/Hostile-v1", make=lambda task: Hostile(3), seedable=False)
    registry.add("environment", spec.id, spec)
'''


def played(command: CommandLine, *arguments: object, typed: str | bytes = "") -> Done:
    """Play in a pipe."""
    process = subprocess.Popen(
        command.arguments("play", *arguments),
        cwd=command.folder,
        env=command.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = process.communicate(typed if isinstance(typed, bytes) else typed.encode(), timeout=120)
    return Done(process.returncode, out.decode(), err.decode())


def test_a_game_is_won_by_numbers_and_words(command: CommandLine) -> None:
    done = played(command, "Countdown-v1", "--task", "from-4", typed="2\ndown 1\n\n1\n")
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[:2] == ["test/Countdown-v1, task from-4", "Goal: Reach exactly zero."]
    assert lines[3:5] == ["The counter shows 4.", ""]
    assert lines[5:9] == ["  1  down 1", "  2  down 2", "  3  wait", "[turn 0 of 50, score 0.00]"]
    assert [line for line in lines if line.startswith(">")] == ["> 2", "> down 1", "> ", "> 1"]
    assert lines[-1] == "Solved, after 3 turns. Score 1.00."
    assert "\x1b" not in done.out


def test_a_game_is_lost_or_left(command: CommandLine) -> None:
    lost = played(command, "Countdown-v1", "--task", "from-3", typed="2\n2\n")
    assert lost.out.splitlines()[-1] == "Not solved: the game is over, after 2 turns. Score 0.67."
    left = played(command, "Countdown-v1", "--task", "from-3", typed="2")
    assert left.out.splitlines()[-1] == "You left after 1 turns. Score 0.67."
    assert lost.status == left.status == 0


def test_a_number_that_is_none_of_them_costs_no_turn(command: CommandLine) -> None:
    done = played(command, "Countdown-v1", typed="0\n4\n99999999999999\n")
    assert done.out.count("type a number from 1 to 3, or an action.") == 3
    assert "You left after 0 turns." in done.out


def test_a_suite_gives_tasks_and_rules(command: CommandLine) -> None:
    done = played(command, "Unruly-v1", "--suite", "count-workers", "--task", "from-8", typed="3\n" * 30)
    assert "The counter shows 8." in done.out
    assert done.out.splitlines()[-1] == "Not solved: out of turns, after 20 turns. Score 0.00."


def test_hints_are_shown_when_asked_for_alone(command: CommandLine) -> None:
    assert "hint" not in played(command, "Countdown-v1", "--task", "from-3", typed="1\n").out
    done = played(command, "Countdown-v1", "--task", "from-3", "--hints", typed="1\n")
    assert done.out.count("hint: down 2") == 2


def test_an_environment_without_gold_says_that_there_are_no_hints(command: CommandLine) -> None:
    done = played(command, "Silent-v1", "--hints")
    assert "no hints" in done.err
    assert "hint" not in done.out


def test_words_of_the_environment_are_no_markup_and_no_terminal_codes(command: CommandLine, tmp_path: Path) -> None:
    command.plugin = tmp_path / "hostile.py"
    command.plugin.write_text(HOSTILE)
    done = played(command, "Hostile-v1", typed="2\n")
    assert "Goal: [red]stop[/red] :warning:" in done.out
    assert "Rules: [link=http://x]y[/link]" in done.out
    assert "  2  [bold]jump[/bold]" in done.out
    assert "[/] [blink]x \\x1b]0;title\\x07\\x1b[2J \\x202egnp.exe" in done.out
    assert not set(done.out) & {"\x1b", "\x07", "\u202e"}


def test_input_that_is_no_text_is_an_action_like_any_other(command: CommandLine) -> None:
    done = played(command, "Countdown-v1", typed=b"\xff\xfe\x00\n")
    assert done.status == 0
    assert "Nothing happens." in done.out


def test_a_failing_environment_is_one_sentence(command: CommandLine) -> None:
    done = played(command, "Unruly-v1", "--suite", "count-dies", "--task", "step:die", typed="1\n")
    assert done.status == 1
    assert "Traceback" not in done.err
    assert done.err.startswith("cornerman: the worker of test/Unruly-v1 died")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["Cuontdown-v1"], "unknown environment 'Cuontdown-v1'; did you mean 'Countdown-v1'"),
        (["count"], "unknown environment 'count'; did you mean 'test/Countdown-v1'"),
        (["Countdown-v1", "--task", "from-70"], "did you mean 'from-7'"),
        (["Countdown-v1", "--split", "dev"], "has no split 'dev'"),
        (["Countdown-v1", "--suite", "count-workers"], "its tasks are test/Unruly-v1 (test)"),
        (["Unruly-v1", "--suite", "count-workers", "--task", "form-8"], "did you mean 'from-8'"),
        (["Unruly-v1", "--suite", "count-wrokers"], "unknown suite 'count-wrokers'; did you mean 'count-workers'"),
    ],
)
def test_wrong_names(command: CommandLine, arguments: list[str], sentence: str) -> None:
    assert sentence in command.refused("play", *arguments)


def test_on_a_terminal_there_are_colours_and_a_prompt(command: CommandLine) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command.arguments("play", "Countdown-v1", "--task", "from-3"),
        cwd=command.folder,
        env=command.environment | {"TERM": "xterm-256color", "NO_COLOR": ""},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, b"1\n\x04")
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # on Linux, how a terminal ends
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    assert process.wait(timeout=60) == 0
    text = said.decode()
    assert "\x1b[1m" in text
    assert "Ctrl-D leaves" in text
    assert "> " in text
    assert "You left after 1 turns. Score 0.33." in text
