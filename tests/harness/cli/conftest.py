"""The command line in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.command import CommandLine


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    """The command line, with the countdown plug-in file, in an empty folder."""
    return CommandLine(tmp_path)
