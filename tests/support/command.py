"""The command line in processes of their own, as a person would start them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PLUGIN = Path(__file__).with_name("countdown_plugin.py")


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The whole of stdout as one JSON value."""
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The last line on stderr."""
        return self.err.splitlines()[-1] if self.err else ""


@dataclass
class CommandLine:
    """Runs commands in one folder, with a cache of its own and the countdown plug-in file."""

    folder: Path
    plugin: Path | None = PLUGIN
    python: str = sys.executable
    variables: dict[str, str] = field(default_factory=dict)

    def arguments(self, *arguments: object) -> list[str]:
        """The whole command."""
        before = [] if self.plugin is None else ["-p", str(self.plugin)]
        return [self.python, "-m", "cornerman", *before, *map(str, arguments)]

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables of a command: those of this process, less what would change its answers."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("CORNERMAN_", "COV_"))}
        path = os.pathsep.join(filter(None, [str(ROOT), kept.get("PYTHONPATH")]))
        own = {"CORNERMAN_CACHE": str(self.folder / "cache"), "CORNERMAN_PLUGINS": "", "PYTHONPATH": path}
        return kept | own | {"COLUMNS": "200"} | self.variables

    def spawn(self, words: list[str], **options: Any) -> subprocess.Popen[str]:
        """Start any program in the folder, in a group of its own."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | options
        if pipes.setdefault("text", True):
            pipes.setdefault("errors", "replace")
        return subprocess.Popen(words, cwd=self.folder, env=self.environment, start_new_session=True, **pipes)

    def start(self, *arguments: object, **options: Any) -> subprocess.Popen[str]:
        """Start a command."""
        return self.spawn(self.arguments(*arguments), **options)

    def __call__(self, *arguments: object) -> Done:
        """Run a command to its end."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        return Done(process.returncode, out, err)

    def refused(self, *arguments: object) -> str:
        """Run a command that must be refused: exit status 2, nothing on stdout, one sentence on stderr."""
        done = self(*arguments)
        assert done.status == 2, done
        assert done.out == "", done
        assert "Traceback" not in done.err, done.err
        lines = done.err.splitlines()
        assert len(lines) == 1, lines
        assert lines[0].startswith("cornerman: "), lines
        return lines[0].removeprefix("cornerman: ")
