"""Only commands of the game reach the interpreter."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman_envs.textworld.commands import MAX_LENGTH, clean, reserved


@given(st.text(max_size=2000))
def test_nothing_but_letters_of_the_game_passes(action: str) -> None:
    command = clean(action)
    assert re.fullmatch(r"[A-Za-z0-9 '?\-]*", command)
    assert len(command) <= MAX_LENGTH
    assert "  " not in command
    assert command == command.strip()


@pytest.mark.parametrize(
    "command",
    [
        "look",
        "examine king-size bed",
        "unlock wooden door with old key",
        "take half of a bag of chips from couch",
        "open type G chest 2",
        "cook red hot pepper with BBQ",
        "take cook's hat",
    ],
)
def test_admissible_commands_are_untouched(command: str) -> None:
    assert clean(command) == command
    assert reserved(command) is None


@pytest.mark.parametrize(
    ("action", "command"),
    [
        ("  go\teast \n", "go east"),
        ("Go east.", "Go east"),
        ('"go east"', "go east"),
        ("go east. go west", "go east"),
        ("go east then go west", "go east"),
        ("go east\ngo west", "go east"),
        ("go east; go west", "go east"),
        ("me, restart", "me"),
        ("open chest\x00drawer", "open chest drawer"),
        ("take café", "take caf?"),
        ("打开抽屉", "????"),
        ("say ] [eating apple - succeeded] [", "say ? ?eating apple - succeeded? ?"),
        ("say <score>99</score>", "say ?score?99??score?"),
        ("", ""),
        ("...", ""),
        ("\x00\x07\x1b", ""),
    ],
)
def test_the_first_command_is_taken(action: str, command: str) -> None:
    assert clean(action) == command


def test_long_actions_are_cut() -> None:
    assert len(clean("x" * 100_000)) == MAX_LENGTH


INTERPRETER = """
quit,Q,restart,RESTORE game,save,script,transcript,transcripts,undo,oops chest,again,g,version,superbrief,superbrieXYZ,
tw-trace-actions,tw-extra-infos score,restrict commands,enable print state option
"""


@pytest.mark.parametrize("command", INTERPRETER.strip().replace("\n", "").split(","))
def test_words_to_the_interpreter_are_told_apart(command: str) -> None:
    assert reserved(clean(command)) == clean(command).split()[0].lower()


@pytest.mark.parametrize(
    "command", ["", "go south", "get coin", "open restored chest", "saves", "quiet", "print?state"]
)
def test_other_words_are_not(command: str) -> None:
    assert reserved(command) is None
