"""The command line. `main` is light: a command's own modules are imported when it runs."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of `cornerman`."""
    from cornerman.cli.app import run

    sys.exit(run(sys.argv[1:]))
