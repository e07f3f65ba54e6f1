"""Ctrl-C and the signals that end a process: once in order, twice at once."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SHOW_CURSOR = b"\x1b[?25h"
SAME_REQUEST = 1.0
"""Seconds within which a second SIGTERM belongs to the first: `timeout` sends one to its child and one to the group."""


@contextlib.contextmanager
def on_signal(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` on the first signal, and leave the process on the second: what is recorded is on disk already.

    Python runs the handler between two steps of its own code, so that it works while the event loop is held up. `stop`
    must be safe to call there. A signal that is ignored, as SIGHUP under nohup, stays ignored; a SIGTERM right after
    another one is the same request.
    """
    asked, terminated = False, -math.inf

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal terminated, asked
        now = time.monotonic()
        if number == signal.SIGTERM:
            if now - terminated < SAME_REQUEST:
                return
            terminated = now
        if asked:
            if sys.stderr.isatty():
                os.write(2, SHOW_CURSOR)
            os.write(2, b"cornerman: left at once; what was recorded is kept\n")
            os._exit(1)  # threads and plug-ins may hang; workers end when their engine is gone
        asked = True
        stop()

    before = {n: signal.getsignal(n) for n in SIGNALS}
    installed = [n for n, handler in before.items() if handler is not signal.SIG_IGN]
    for number in installed:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in installed:
            signal.signal(number, before[number])
