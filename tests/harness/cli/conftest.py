"""The command line in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.command import CommandLine, Done

from cornerman.cli.app import run


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    """The command line, with the countdown plug-in file, in an empty folder."""
    return CommandLine(tmp_path)


@pytest.fixture
def inside(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """The command line within this process, in the folder of `command`."""
    monkeypatch.chdir(command.folder)
    monkeypatch.setenv("CORNERMAN_CACHE", str(command.folder / "cache"))

    def call(*arguments: object) -> Done:
        status = run(command.arguments(*arguments)[3:])
        out, err = capsys.readouterr()
        return Done(status, out, err)

    return call
