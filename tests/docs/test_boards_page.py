"""The page of published boards shows what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.pages import read
from tests.support.command import CommandLine

BOARD = re.compile(r"<!-- board: (\S+) -->\n\n(.*?)\n\n<!-- end of board -->", re.DOTALL)


def test_boards_are_those_that_the_command_prints(tmp_path: Path) -> None:
    command = CommandLine(tmp_path)
    found = BOARD.findall(read("boards.md"))
    assert found
    for suite, board in found:
        done = command("leaderboard", "show", suite, "--markdown")
        assert done.out.strip() == board
