"""How commands print: tables that fit the terminal, and plain lines where there is none."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import msgspec


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on a terminal; tab-separated lines in a pipe, whose cells hold no tab or line break."""
    if not sys.stdout.isatty():
        for line in ([*heads], *rows):
            print("\t".join(plain(cell) for cell in line))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, head in enumerate(heads):
        shown.add_column(head, no_wrap=i == 0)
    for line in rows:
        shown.add_row(*(Text(plain(cell)) for cell in line))
    Console().print(shown)


def plain(text: str) -> str:
    """Text on one line and without control characters: what a plug-in or a server says may hold any."""
    return " ".join("".join(c if c.isprintable() or c.isspace() else " " for c in text).split())


def emit(value: Any) -> None:
    """A value as JSON, alone on a line of stdout and in UTF-8 whatever the terminal's encoding is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def warn(text: str) -> None:
    """One line on stderr; what it is indented by stays."""
    indent = " " * (len(text) - len(text.lstrip(" ")))
    print(f"cornerman: {indent}{plain(text)}", file=sys.stderr)


class ProgressLine:
    """A bar on a terminal, from the first step to the last; a line on stderr at every tenth elsewhere.

    A context manager, which takes the bar away when the work ends early.
    """

    def __init__(self, description: str, total: int) -> None:
        self.description, self.total, self.done = description, total, 0
        self._bar: Any = None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._bar.start()
        self._task = self._bar.add_task(self.description, total=self.total)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        if sys.stderr.isatty():
            if self._bar is None:
                self._open()
            self._bar.advance(self._task)
            if self.done >= self.total:
                self._close()
        elif self.done == self.total or self.done % max(1, self.total // 10) == 0:
            print(f"{self.description}: {self.done}/{self.total}", file=sys.stderr)
