"""The command line. `main` is light: a command's own modules are imported when it runs."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Entry point of `cornerman`."""
    from cornerman.cli.app import run

    for stream in (sys.stdout, sys.stderr):  # a terminal that cannot show a character is no reason to fail
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))
