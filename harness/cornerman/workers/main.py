"""The worker: a fresh interpreter that hosts one environment at a time and answers one operation after another.

Started by the pool as `python -P -m cornerman.workers.main SOCKET LIFELINE`, with two inherited file descriptors: the
socket on which frames come and go, and the read end of a pipe of which only the engine holds the other end. Standard
output and error both lead to the engine's log of this worker, so that an environment may print what it likes.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from cornerman import plugins
from cornerman.environment import EnvironmentSpec
from cornerman.records import Task
from cornerman.registry import Registry
from cornerman.workers import wire
from cornerman.workers.inline import describe
from cornerman.workers.session import Host


def die_with_parent(lifeline: int) -> None:
    """End this process and all that it started as soon as nobody holds the other end of the lifeline.

    A thread that waits for the end of the pipe does this everywhere, but only once it gets the interpreter lock, which
    compiled code may hold for long. On Linux the kernel does it beforehand: it sends SIGKILL to the owner of the pipe
    when the last writer is gone (fcntl(2), F_SETSIG), and the owner is this process group, so that a Java machine or a
    planner started by the environment goes too. PR_SET_PDEATHSIG would end this one process only, and already when the
    thread that started it ends.
    """

    def wait() -> None:
        os.read(lifeline, 1)
        os.killpg(0, signal.SIGKILL)

    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    # Started last: it also covers an engine that was gone before the kernel was asked.
    threading.Thread(target=wait, name="lifeline", daemon=True).start()


def resident_memory() -> int:
    """Resident bytes of this process; outside Linux the peak, the only figure there is without a further package."""
    try:
        with open("/proc/self/statm", "rb") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


class Stage:
    """The catalogue of this process and the environment that it hosts at the moment."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.host: Host | None = None

    def start(self, path: list[str], files: list[str]) -> None:
        """Find modules where the engine finds them, and load the plug-ins that it loaded."""
        sys.path[:] = path
        self.registry = plugins.load(files).registry

    def open(self, task: Task) -> None:
        """Make the environment of a task."""
        spec: EnvironmentSpec = self.registry.get("environment", task.env).load()
        self.host = Host(spec, task)

    def close(self) -> None:
        """Close the environment; it is gone even when that fails."""
        host, self.host = self.host, None
        if host is not None:
            host.close()

    def perform(self, operation: wire.Operation) -> Any:
        """Carry out one operation; whatever the environment raises goes through."""
        value, host = operation.value, self.host
        match operation.name, host:
            case "step", Host():
                return host.step(value)
            case "reply", Host():
                return host.reply(value)
            case "reset", Host():
                return host.reset()
            case "gold", Host():
                return host.gold()
            case "facts", Host():
                return host.facts()
            case "consistent_states", Host():
                return host.consistent_states(*value)
            case "snapshot", Host():
                return host.snapshot()
            case "restore", Host():
                return host.restore(value)
            case "close", _:
                return self.close()
            case "open", None:
                return self.open(msgspec.convert(value, Task))
            case "start", None:
                return self.start(**value)
        raise ValueError(f"operation {operation.name!r} is out of order")


def answer(stage: Stage, operation: wire.Operation) -> bytes:
    """The frame that answers an operation; an ordinary exception is an answer too, and the worker lives on."""
    try:
        value = stage.perform(operation)
    except Exception as error:
        return wire.encode(wire.Reply(error=describe(error)))
    memory = resident_memory() if operation.name == "close" else 0
    try:
        return wire.encode(wire.Reply(value, memory=memory))
    except Exception as error:
        return wire.encode(wire.Reply(error=f"its answer cannot be sent: {describe(error)}"))


def serve(channel: socket.socket) -> None:
    """Answer operations until the engine says "leave". A socket that closes before has lost its engine."""
    stage = Stage()
    with channel.makefile("rb") as stream:
        while len(header := stream.read(wire.HEADER.size)) == wire.HEADER.size:
            operation = wire.decode(stream.read(wire.size(header)), wire.Operation)
            if operation.name == "leave":
                return
            channel.sendall(answer(stage, operation))
    os.killpg(0, signal.SIGKILL)


def main(arguments: Sequence[str]) -> None:
    """Entry point; the arguments are the two file descriptors."""
    if len(arguments) != 2:
        sys.exit("cornerman.workers.main is started by a pool of workers only, with two file descriptors.")
    channel, lifeline = (int(text) for text in arguments)
    # What the environment starts must hold neither, or the engine would not see that this process has died.
    for descriptor in (channel, lifeline):
        os.set_inheritable(descriptor, False)
        os.register_at_fork(after_in_child=partial(os.close, descriptor))
    die_with_parent(lifeline)
    faulthandler.enable()
    sys.stdout = sys.stderr
    with socket.socket(fileno=channel) as connection:
        serve(connection)


if __name__ == "__main__":
    main(sys.argv[1:])
