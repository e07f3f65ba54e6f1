"""A person at the terminal: one question at a time, answered by a line."""

from __future__ import annotations

import asyncio
import os
import sys
import weakref

from cornerman.visible import visible

RULE = "─" * 60
_locks: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = weakref.WeakKeyDictionary()
_typed = bytearray()
"""What has been read beyond the last answer."""


async def ask(text: str, prompt: str) -> str | None:
    """Show a text and wait for a line; None at the end of input. Questions of several episodes wait for each other.

    Everything is written to standard error, so that standard output stays free. What strangers wrote cannot move the
    cursor. Waiting blocks no other episode and ends when the episode is stopped.
    """
    lock = _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
    async with lock:
        print(f"{RULE}\n{visible(text)}\n{prompt} ", end="", file=sys.stderr, flush=True)
        line = await _line()
        if line is None:
            print(file=sys.stderr)
        return line


async def _line() -> str | None:
    """The next line of standard input, without its end."""
    loop, fd = asyncio.get_running_loop(), sys.stdin.fileno()
    while b"\n" not in _typed:
        arrived = loop.create_future()
        try:
            loop.add_reader(fd, arrived.set_result, None)
        except PermissionError:  # a file is always ready and can not be waited for
            arrived.set_result(None)
        try:
            await arrived
        finally:
            loop.remove_reader(fd)
        read = os.read(fd, 4096)
        if not read:
            rest = _typed.decode("utf-8", "replace")
            _typed.clear()
            return rest or None
        _typed.extend(read)
    line, _, rest_of_it = bytes(_typed).partition(b"\n")
    _typed[:] = rest_of_it
    return line.decode("utf-8", "replace").rstrip("\r")
