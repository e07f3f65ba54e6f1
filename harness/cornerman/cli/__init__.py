"""The command line. `main` is light: a command's own modules are imported when it runs."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Entry point of `cornerman`."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that cannot show a character is no reason to fail
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        from cornerman.cli.app import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:  # before a command had begun, or after it had ended
        print("cornerman: interrupted", file=sys.stderr)
        status = 1
    sys.exit(status)
