"""The table of a run."""

from __future__ import annotations

from typing import Any

from cornerman import hookimpl
from cornerman.store import SUMMARY, read_json


class Table:
    """Prints the table when a run is over."""

    @hookimpl
    def run_finished(self, run: Any, complete: bool) -> None:
        """Print it."""
        print(read_json(run.folder / SUMMARY))
