"""The engine's side of a worker: its process, its socket, its log, and the watchdog over each operation."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple, cast

from cornerman.errors import EnvError
from cornerman.workers import wire

LOG_BYTES = 4096
"""How much of what a worker wrote last is kept for the error that its death becomes."""

_LEAVE = wire.encode(wire.Operation("leave"))
_POLL_SECONDS = 0.005
_EXIT_SECONDS = 1.0
"""How long a process that has closed its socket may take to be gone."""


class WorkerDied(Exception):
    """The worker is gone, and its environment with it; the text says how it ended and what it wrote last."""


class Spawned(NamedTuple):
    """A started interpreter and our ends of what leads to it."""

    process: subprocess.Popen[bytes]
    channel: socket.socket
    lifeline: int
    log: int


def spawn() -> Spawned:
    """Start a fresh interpreter. Raises `OSError` when the system has no room for another process or descriptor.

    It leads a session of its own: the terminal's Ctrl-C does not reach it, so that the engine can end an episode in
    order, and a signal to its group reaches all that an environment may have started. Hash seeds are pinned, or a set
    of strings would have another order, and a replay another observation, in each worker.
    """
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:

        def held(stack: contextlib.ExitStack, end: int) -> int:
            stack.callback(os.close, end)
            return end

        channel, their_channel = socket.socketpair()
        ours.enter_context(channel)
        theirs.enter_context(their_channel)
        read, write = os.pipe()
        their_lifeline, lifeline = held(theirs, read), held(ours, write)
        read, write = os.pipe()
        log, their_log = held(ours, read), held(theirs, write)
        ends = (their_channel.fileno(), their_lifeline)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cornerman.workers.main", *map(str, ends)],
            stdin=subprocess.DEVNULL,
            stdout=their_log,
            stderr=their_log,
            pass_fds=ends,
            start_new_session=True,
            env={"PYTHONHASHSEED": "0", **os.environ},
        )
        ours.pop_all()
    channel.setblocking(False)
    os.set_blocking(log, False)
    return Spawned(process, channel, lifeline, log)


class Worker(asyncio.Protocol):
    """One worker process, driven from the event loop that started it; one operation at a time.

    `usable` turns False for good when the process dies, goes over a limit, or may be out of step.
    """

    def __init__(self) -> None:
        self.usable = True
        self.episodes = 0
        self.growth = 0
        self._first_memory: int | None = None
        self._loop = asyncio.get_running_loop()
        try:
            self._child = spawn()
        except OSError as error:
            raise EnvError(f"no worker process could be started: {error}") from error
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._reply: asyncio.Future[wire.Reply] | None = None
        self._log = b""
        self._open = True
        self._loop.add_reader(self._child.log, self._read_log)

    @property
    def pid(self) -> int:
        """The process id, which is also the id of its group."""
        return self._child.process.pid

    async def start(self, files: Sequence[str], seconds: float) -> None:
        """Let the worker load the plug-ins. Raises `EnvError` when it cannot, or not in that time."""
        try:
            await self._loop.create_unix_connection(lambda: self, sock=self._child.channel)
            setting = {"path": [str(entry) or os.getcwd() for entry in sys.path], "files": list(files)}
            reply = await self.request(wire.encode(wire.Operation("start", setting)), seconds)
        except TimeoutError:
            raise EnvError(f"a worker process was not ready within {seconds:g} s") from None
        except WorkerDied as death:
            raise EnvError(f"a worker process died at its start: {death}") from None
        if reply.error is not None:
            self.kill()
            raise EnvError(f"a worker process could not load the plug-ins: {reply.error}")

    async def request(self, frame: bytes, seconds: float) -> wire.Reply:
        """Send one operation and wait for its reply.

        Raises `TimeoutError` when there is none within the limit and `WorkerDied` when there can be none any more. On
        both, and when the caller is cancelled meanwhile, the worker is killed: what it would answer later belongs to
        nobody.
        """
        if self._transport is None or not self.usable:
            raise WorkerDied(await self._last_words())
        self._reply = self._loop.create_future()
        watchdog = self._loop.call_later(seconds, self._expire)
        try:
            self._transport.write(frame)
            return await self._reply
        except ConnectionError:
            raise WorkerDied(await self._last_words()) from None
        except BaseException:
            self.kill()
            raise
        finally:
            watchdog.cancel()
            self._reply = None

    def _expire(self) -> None:
        # Due late when the loop itself was held up: a reply that has come in meanwhile counts.
        if self._reply is not None and not self._reply.done():
            self.kill()
            self._reply.set_exception(TimeoutError())

    def episode_closed(self, memory: int) -> None:
        """Count an episode. Growth is measured from the end of the first: imports and caches are no leak."""
        self.episodes += 1
        if self._first_memory is None:
            self._first_memory = memory
        self.growth = memory - self._first_memory

    def kill(self) -> None:
        """End the process and all that it started, at once; `end` waits for it."""
        self.usable = False
        if self._open:  # later the number may be another group's
            # macOS answers "not permitted" for a group of which only a zombie is left.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    async def end(self, grace: float = 0.0) -> None:
        """Let the process leave by itself within `grace` seconds, or kill it; return when it is gone. Idempotent."""
        if not self._open:
            return
        if grace and self.usable and self._transport is not None:
            self._transport.write(_LEAVE)
        self.usable = False
        deadline = self._loop.time() + grace
        while self._child.process.poll() is None:
            if self._loop.time() >= deadline:
                self.kill()
            await asyncio.sleep(_POLL_SECONDS)
        if self._open:
            self.kill()  # what the environment started and left behind
            self._open = False
            self._read_log()
            self._loop.remove_reader(self._child.log)
            if self._transport is not None:
                self._transport.abort()
            self._child.channel.close()
            os.close(self._child.log)
            os.close(self._child.lifeline)

    async def _last_words(self) -> str:
        """How the process ended and the end of its log."""
        await self.end(_EXIT_SECONDS)
        status = self._child.process.returncode
        names = {known.value: known.name for known in signal.Signals}
        how = f"exit status {status}" if status >= 0 else f"killed by {names.get(-status, f'signal {-status}')}"
        text = self._log.decode("utf-8", "replace").strip()
        return f"{how}; it wrote last:\n{text}" if text else f"{how}; it wrote nothing"

    def _read_log(self) -> None:
        try:
            data = os.read(self._child.log, 1 << 16)
        except BlockingIOError:
            return
        self._log = (self._log + data)[-LOG_BYTES:]
        if not data:
            self._loop.remove_reader(self._child.log)

    # What the transport calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) < wire.HEADER.size:
            return
        try:
            end = wire.HEADER.size + wire.size(self._buffer)
            if len(self._buffer) < end:
                return
            reply = wire.decode(self._buffer[wire.HEADER.size : end], wire.Reply)
        except ValueError:
            self._out_of_step()
            return
        if self._reply is None or self._reply.done() or len(self._buffer) > end:
            self._out_of_step()
            return
        self._buffer.clear()
        self._reply.set_result(reply)

    def _out_of_step(self) -> None:
        self._log += b"\n[an environment wrote to the worker's own socket]"
        self.kill()

    def connection_lost(self, exc: Exception | None) -> None:
        self.usable = False
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(ConnectionResetError())
